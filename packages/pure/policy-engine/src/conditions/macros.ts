// The macros of conditions: an expression for each item of a list, or each key of a map. Each round spends the nodes of the
// expression, so that macros within macros end by the bound of the whole evaluation.
import { isJsonObject } from '@portico/contracts';
import { type Compile, type Compiled, type Frame, type Run, type Scope, textOf } from './compiled.js';
import type { Macro } from './functions.js';
import { ConditionFailure, fail, spend } from './meter.js';
import type { Node } from './parse.js';
import { ConditionProblem } from './problem.js';
import { itemOf, typeOf, type Value } from './values.js';

/** Macros in each other. */
const maxNesting = 3;

/** @throws ConditionProblem */
export function compileMacro(
  macro: Macro,
  node: Extract<Node, { op: 'call' }>,
  receiver: Node,
  scope: Scope,
  compile: Compile,
): Compiled {
  const [variable, body] = node.args;
  if (node.args.length !== 2 || variable?.op !== 'name' || body === undefined)
    throw new ConditionProblem(`${macro} takes a name and an expression, as in ${macro}(x, x != "")`, node.start);
  if (scope.items.length >= maxNesting)
    throw new ConditionProblem(`there are more than ${maxNesting} macros in each other`, node.start);
  const of = compile(receiver, scope);
  if (of.type !== 'any' && of.type !== 'list' && of.type !== 'map')
    throw new ConditionProblem(`${macro} takes a list or a map, not a ${of.type}`, receiver.start);
  const each = compile(body, { ...scope, items: [...scope.items, variable.name] });
  if (macro !== 'map' && each.type !== 'any' && each.type !== 'bool')
    throw new ConditionProblem(`the expression of ${macro} is a ${each.type}, not a bool`, body.start);
  const over = { of: of.run, whole: textOf(scope, receiver), at: scope.items.length, each };
  const isList = macro === 'map' || macro === 'filter';
  return { run: runs[macro](over), type: isList ? 'list' : 'bool', size: of.size + each.size + 1 };
}

interface Loop {
  readonly of: Run;
  /** The text of what is looped over. */
  readonly whole: string;
  /** The place of its item. */
  readonly at: number;
  readonly each: Compiled;
}

const runs: Readonly<Record<Macro, (loop: Loop) => Run>> = {
  all: (loop) => quantifier(loop, false),
  exists: (loop) => quantifier(loop, true),
  exists_one: (loop) => (frame) => itemsOf(frame, loop).filter((item) => isTrue(frame, loop, item)).length === 1,
  filter: (loop) => (frame) => itemsOf(frame, loop).filter((item) => isTrue(frame, loop, item)),
  map: (loop) => (frame) => itemsOf(frame, loop).map((item) => evaluate(frame, loop, item)),
};

/** One item decides, also where the expression fails for others. */
function quantifier(loop: Loop, decides: boolean): Run {
  return (frame) => {
    let failure: ConditionFailure | undefined;
    for (const item of itemsOf(frame, loop)) {
      try {
        if (isTrue(frame, loop, item) === decides) return decides;
      } catch (error) {
        if (!(error instanceof ConditionFailure)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decides;
  };
}

function itemsOf(frame: Frame, { of, whole }: Loop): readonly Value[] {
  const value = of(frame);
  if (Array.isArray(value)) {
    spend(frame, value.length);
    return value.map((_, at) => itemOf(frame, value, at, `an item of ${whole}`));
  }
  if (!isJsonObject(value)) return fail(frame, `${whole} is a ${typeOf(value)}, not a list or a map`);
  const keys = Object.keys(value);
  spend(frame, keys.length);
  return keys;
}

function evaluate(frame: Frame, { each, at }: Loop, item: Value): Value {
  spend(frame, each.size);
  frame.items[at] = item;
  return each.run(frame);
}

function isTrue(frame: Frame, loop: Loop, item: Value): boolean {
  const value = evaluate(frame, loop, item);
  return typeof value === 'boolean'
    ? value
    : fail(frame, `the expression over ${loop.whole} is a ${typeOf(value)}, not a bool`);
}
