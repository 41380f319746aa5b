// The operators of conditions. `&&` and `||` have a value wherever one side decides, also if the other one fails
// (https://github.com/google/cel-spec/blob/master/doc/langdef.md#logical-operators).
import { isJsonObject } from '@portico/contracts';
import { type Compile, type Compiled, type Frame, type Run, type Scope, sizeOf, textOf } from './compiled.js';
import { ConditionFailure, fail, spendOnText } from './meter.js';
import type { BinaryOperator, Node } from './parse.js';
import { ConditionProblem } from './problem.js';
import { areEqual, itemOf, typeOf, type Value } from './values.js';

type OperatorNode = Extract<Node, { op: BinaryOperator | '!' | 'minus' }>;

/** @throws ConditionProblem */
export function compileOperator(node: OperatorNode, scope: Scope, compile: Compile): Compiled {
  if ('of' in node) return compileUnary(node.op, node.of, scope, compile);
  const [left, right] = [compile(node.left, scope), compile(node.right, scope)];
  const { op } = node;
  const misfit = misfitOf(op, left.type, right.type);
  if (misfit !== undefined) throw new ConditionProblem(misfit, node.start);
  const size = sizeOf([left, right]);
  if (op === '&&' || op === '||') {
    const texts = [textOf(scope, node.left), textOf(scope, node.right)] as const;
    return { run: logical(op === '||', left.run, right.run, texts), type: 'bool', size };
  }
  const run: Run = (frame) => operate(frame, op, left.run(frame), right.run(frame));
  return { run, type: typeOfResult(op, left.type), size };
}

function compileUnary(op: '!' | 'minus', of: Node, scope: Scope, compile: Compile): Compiled {
  const operand = compile(of, scope);
  const wanted = op === '!' ? 'bool' : 'number';
  if (operand.type !== 'any' && operand.type !== wanted)
    throw new ConditionProblem(`${op === '!' ? '!' : '-'} takes a ${wanted}, not a ${operand.type}`, of.start);
  const text = textOf(scope, of);
  const run: Run = (frame) => {
    const value = operand.run(frame);
    if (op === '!' && typeof value === 'boolean') return !value;
    if (op === 'minus' && typeof value === 'number') return -value;
    return fail(frame, `${text} is a ${typeOf(value)}, not a ${wanted}`);
  };
  return { run, type: wanted, size: operand.size + 1 };
}

function typeOfResult(op: BinaryOperator, left: Compiled['type']): Compiled['type'] {
  if (op === '+') return left;
  return op === '-' || op === '*' ? 'number' : 'bool';
}

/** Why an operator never has a value for these types; undefined if it may. */
function misfitOf(op: BinaryOperator, left: Compiled['type'], right: Compiled['type']): string | undefined {
  const known = [left, right].filter((type) => type !== 'any');
  const areOf = (...types: Compiled['type'][]) => known.every((type) => types.includes(type));
  const isSame = known.length < 2 || left === right;
  const fits = {
    '||': areOf('bool'),
    '&&': areOf('bool'),
    '==': isSame || known.includes('null'),
    '!=': isSame || known.includes('null'),
    '<': areOf('number', 'string', 'bool') && isSame,
    '<=': areOf('number', 'string', 'bool') && isSame,
    '>': areOf('number', 'string', 'bool') && isSame,
    '>=': areOf('number', 'string', 'bool') && isSame,
    in: right === 'any' || right === 'list' || (right === 'map' && (left === 'any' || left === 'string')),
    '+': areOf('number', 'string', 'list') && isSame,
    '-': areOf('number'),
    '*': areOf('number'),
  }[op];
  return fits ? undefined : `${op} does not take a ${left} and a ${right}`;
}

/** @param decides the value of a side that decides alone */
function logical(decides: boolean, left: Run, right: Run, texts: readonly [string, string]): Run {
  return (frame) => {
    let failure: ConditionFailure | undefined;
    let first: Value = null;
    try {
      first = left(frame);
    } catch (error) {
      if (!(error instanceof ConditionFailure)) throw error;
      failure = error;
    }
    if (first === decides) return decides;
    const second = right(frame);
    if (second === decides) return decides;
    if (failure !== undefined) throw failure;
    requireBool(frame, first, texts[0]);
    requireBool(frame, second, texts[1]);
    return !decides;
  };
}

function requireBool(frame: Frame, value: Value, text: string): void {
  if (typeof value !== 'boolean') fail(frame, `${text} is a ${typeOf(value)}, not a bool`);
}

type PlainOperator = Exclude<BinaryOperator, '||' | '&&'>;

function operate(frame: Frame, op: PlainOperator, left: Value, right: Value): Value {
  switch (op) {
    case '==':
      return areEqual(frame, left, right);
    case '!=':
      return !areEqual(frame, left, right);
    case 'in':
      return isIn(frame, left, right);
    case '+':
      return sum(frame, left, right);
    case '-':
    case '*': {
      if (typeof left !== 'number' || typeof right !== 'number') return misfit(frame, op, left, right);
      return op === '-' ? left - right : left * right;
    }
    default:
      return isOrdered(frame, op, left, right);
  }
}

function isIn(frame: Frame, left: Value, right: Value): boolean {
  if (Array.isArray(right)) return right.some((_, at) => areEqual(frame, left, itemOf(frame, right, at, 'an item')));
  if (isJsonObject(right)) return typeof left === 'string' && Object.hasOwn(right, left);
  return misfit(frame, 'in', left, right);
}

function sum(frame: Frame, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (typeof left === 'string' && typeof right === 'string') {
    spendOnText(frame, left.length + right.length);
    return left + right;
  }
  if (!Array.isArray(left) || !Array.isArray(right)) return misfit(frame, '+', left, right);
  spendOnText(frame, 32 * (left.length + right.length));
  const read = (list: readonly Value[]) => list.map((_, at) => itemOf(frame, list, at, 'an item'));
  return [...read(left), ...read(right)];
}

function isOrdered(frame: Frame, op: '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  if (left === null || right === null || typeof left === 'object' || typeof left !== typeof right)
    return misfit(frame, op, left, right);
  if (typeof left === 'string') spendOnText(frame, left.length);
  if (op === '<') return left < right;
  if (op === '<=') return left <= right;
  return op === '>' ? left > right : left >= right;
}

function misfit(frame: Frame, op: string, left: Value, right: Value): never {
  return fail(frame, `${op} does not take a ${typeOf(left)} and a ${typeOf(right)}`);
}
