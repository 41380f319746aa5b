// Makes functions of an expression, and finds operators and functions that never fit the types of what they are given.
import { isJsonObject } from '@portico/contracts';
import { compileOperator } from './compile-operators.js';
import { type Compiled, type Frame, type Run, type Scope, sizeOf, textOf } from './compiled.js';
import { checkTypes, failUnknown, functions, macros, matcherFor, methods } from './functions.js';
import { compileMacro } from './macros.js';
import { fail } from './meter.js';
import type { Node } from './parse.js';
import { ConditionProblem } from './problem.js';
import { itemOf, memberOf, typeOf, type Value, type ValueType } from './values.js';

/** @throws ConditionProblem */
export function compileNode(node: Node, scope: Scope): Compiled {
  switch (node.op) {
    case 'value': {
      const { value } = node;
      return { run: () => value, type: typeOf(value), size: 1 };
    }
    case 'name':
      return compileName(node.name, node.start, scope);
    case 'field':
      return compileField(node, scope);
    case 'index':
      return compileIndex(node, scope);
    case 'call':
      return compileCall(node, scope);
    case 'if':
      return compileIf(node, scope);
    case 'list': {
      const items = node.items.map((item) => compileNode(item, scope));
      return { run: (frame) => items.map(({ run }) => run(frame)), type: 'list', size: sizeOf(items) };
    }
    case 'map':
      return compileMap(node, scope);
    default:
      return compileOperator(node, scope, compileNode);
  }
}

function compileName(name: string, start: number, { items, variables }: Scope): Compiled {
  const depth = items.lastIndexOf(name);
  if (depth >= 0) return { run: ({ items: now }) => now[depth] ?? null, type: 'any', size: 1 };
  const type = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (type === undefined) {
    const known = Object.keys(variables).join(', ');
    throw new ConditionProblem(`there is no variable "${name}"; there are ${known}`, start);
  }
  return { run: ({ variables: now }) => now[name] ?? null, type, size: 1 };
}

function compileField(node: Extract<Node, { op: 'field' }>, scope: Scope): Compiled {
  const { run, size } = compileContainer(node.of, scope, ['map']);
  const { name } = node;
  const [whole, text] = [textOf(scope, node.of), textOf(scope, node)];
  return { run: (frame) => memberIn(frame, run(frame), name, whole, text), type: 'any', size: size + 1 };
}

function compileContainer(node: Node, scope: Scope, types: readonly ValueType[]): Compiled {
  const compiled = compileNode(node, scope);
  if (compiled.type !== 'any' && !types.includes(compiled.type))
    throw new ConditionProblem(`a ${compiled.type} has no members`, node.start);
  return compiled;
}

function memberIn(frame: Frame, map: Value, name: string, whole: string, text: string): Value {
  if (!isJsonObject(map)) return fail(frame, `${whole} is a ${typeOf(map)} and has no fields`);
  const value = memberOf(frame, map, name, text);
  return value === undefined ? fail(frame, `${text} is missing`) : value;
}

function compileIndex(node: Extract<Node, { op: 'index' }>, scope: Scope): Compiled {
  const of = compileContainer(node.of, scope, ['map', 'list']);
  const index = compileNode(node.index, scope);
  const [whole, text] = [textOf(scope, node.of), textOf(scope, node)];
  const run: Run = (frame) => {
    const container = of.run(frame);
    const at = index.run(frame);
    if (typeof at === 'string') return memberIn(frame, container, at, whole, text);
    if (!Array.isArray(container) || typeof at !== 'number')
      return fail(frame, `${text}: a ${typeOf(container)} has no member by a ${typeOf(at)}`);
    const isThere = Number.isInteger(at) && at >= 0 && at < container.length;
    return isThere ? itemOf(frame, container, at, text) : fail(frame, `${text} is missing`);
  };
  return { run, type: 'any', size: of.size + index.size + 1 };
}

function compileIf(node: Extract<Node, { op: 'if' }>, scope: Scope): Compiled {
  const condition = compileNode(node.condition, scope);
  const [then, otherwise] = [compileNode(node.then, scope), compileNode(node.otherwise, scope)];
  if (condition.type !== 'any' && condition.type !== 'bool')
    throw new ConditionProblem(`the condition of ?: is a ${condition.type}, not a bool`, node.condition.start);
  const text = textOf(scope, node.condition);
  const run: Run = (frame) => {
    const decided = condition.run(frame);
    if (typeof decided !== 'boolean') return fail(frame, `${text} is a ${typeOf(decided)}, not a bool`);
    return decided ? then.run(frame) : otherwise.run(frame);
  };
  const type = then.type === otherwise.type ? then.type : 'any';
  return { run, type, size: sizeOf([condition, then, otherwise]) };
}

function compileMap(node: Extract<Node, { op: 'map' }>, scope: Scope): Compiled {
  const entries = node.entries.map(([key, value]) => {
    if (key.op !== 'value' || typeof key.value !== 'string') throw new ConditionProblem('a key is a text', key.start);
    return [key.value, compileNode(value, scope)] as const;
  });
  const run: Run = (frame) => Object.fromEntries(entries.map(([key, value]) => [key, value.run(frame)]));
  return { run, type: 'map', size: sizeOf(entries.map(([, value]) => value)) };
}

type CallNode = Extract<Node, { op: 'call' }>;

function compileCall(node: CallNode, scope: Scope): Compiled {
  const { name, receiver, args } = node;
  if (receiver === undefined && name === 'has') return compileHas(node, scope);
  const macro = macros.find((each) => each === name);
  if (receiver !== undefined && macro !== undefined) return compileMacro(macro, node, receiver, scope, compileNode);
  if (receiver !== undefined && name === 'matches') return compileMatches(node, receiver, scope);
  const table = receiver === undefined ? functions : methods;
  const called = Object.hasOwn(table, name) ? table[name] : undefined;
  if (called === undefined) return failUnknown(name, receiver !== undefined, nameStart(node));
  const given = receiver === undefined ? args : [receiver, ...args];
  if (given.length !== called.takes.length) {
    const count = called.takes.length - (receiver === undefined ? 0 : 1);
    throw new ConditionProblem(
      `${name} takes ${count} argument${count === 1 ? '' : 's'}, not ${args.length}`,
      node.start,
    );
  }
  const values = given.map((each) => compileNode(each, scope));
  values.forEach(({ type }, at) => {
    const accepted = called.takes[at] ?? [];
    if (type !== 'any' && !accepted.includes(type))
      throw new ConditionProblem(`${name} takes a ${accepted.join(' or a ')}, not a ${type}`, given[at]?.start ?? 0);
  });
  const run: Run = (frame) => {
    const read = values.map((value) => value.run(frame));
    checkTypes(frame, name, called, read);
    return called.run(frame, read);
  };
  return { run, type: called.gives, size: sizeOf(values) };
}

/** The place of the name of a called function, which comes behind its receiver. */
function nameStart({ receiver, start }: CallNode): number {
  return receiver === undefined ? start : receiver.end + 1;
}

/** Whether a field is there; the fields before it must be. */
function compileHas(node: CallNode, scope: Scope): Compiled {
  const [field] = node.args;
  if (node.args.length !== 1 || field?.op !== 'field')
    throw new ConditionProblem('has takes a field, as in has(args.repo)', node.start);
  const { run, size } = compileContainer(field.of, scope, ['map']);
  const { name } = field;
  const whole = textOf(scope, field.of);
  return {
    run: (frame) => {
      const map = run(frame);
      if (!isJsonObject(map)) return fail(frame, `${whole} is a ${typeOf(map)} and has no fields`);
      return Object.hasOwn(map, name);
    },
    type: 'bool',
    size: size + 1,
  };
}

function compileMatches(node: CallNode, receiver: Node, scope: Scope): Compiled {
  const [pattern] = node.args;
  if (node.args.length !== 1 || pattern?.op !== 'value' || typeof pattern.value !== 'string')
    throw new ConditionProblem('matches takes a pattern that is written out, as in matches("^acme/")', nameStart(node));
  const matches = matcherFor(pattern.value, pattern.start);
  const of = compileNode(receiver, scope);
  if (of.type !== 'any' && of.type !== 'string')
    throw new ConditionProblem(`matches takes a string, not a ${of.type}`, receiver.start);
  const whole = textOf(scope, receiver);
  return {
    run: (frame) => {
      const text = of.run(frame);
      return typeof text === 'string'
        ? matches(frame, text)
        : fail(frame, `${whole} is a ${typeOf(text)}, not a string`);
    },
    type: 'bool',
    size: of.size + 2,
  };
}
