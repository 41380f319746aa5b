// Conditions on calls, in the Common Expression Language (https://cel.dev): compiled once, evaluated within a bound of
// steps. A condition never has an effect, and no arguments make it run long.
import type { JsonObject } from '@portico/contracts';
import { compileNode } from './compile.js';
import type { Frame } from './compiled.js';
import { ConditionFailure, type Meter, StepsUsedUp, spend } from './meter.js';
import { parseCondition } from './parse.js';
import { ConditionProblem, describeProblem } from './problem.js';
import { typeOf, type ValueType } from './values.js';

/** The variables of a condition. */
export interface ConditionInput {
  /** As they will be sent; empty for a resource. */
  readonly args: JsonObject;
  /** Canonical id. */
  readonly id: string;
  readonly server: string;
  /** `tool`, `resource` or `prompt`. */
  readonly kind: string;
  readonly role: string | null;
  readonly profile: string | null;
  /** Name of the caller, as it was proved. */
  readonly actor: string | null;
}

const variables: Readonly<Record<keyof ConditionInput, ValueType | 'any'>> = {
  args: 'map',
  id: 'string',
  server: 'string',
  kind: 'string',
  role: 'any',
  profile: 'any',
  actor: 'any',
};

/** Steps that the conditions of one call may take together: a few milliseconds at most. */
export const maxConditionSteps = 100_000;

/** In UTF-16 units. */
export const maxConditionLength = 2000;

/** `fails` with the reason, which names parts of the expression and no value of an argument. */
export type Evaluation =
  | { readonly kind: 'value'; readonly value: boolean }
  | { readonly kind: 'fails'; readonly because: string };

export interface Condition {
  /** @param meter is spent from, also for other conditions */
  evaluate(input: ConditionInput, meter: Meter): Evaluation;
}

export type CompiledCondition =
  | { readonly ok: true; readonly condition: Condition }
  /** With the line and the column of the problem. */
  | { readonly ok: false; readonly problem: string };

export function compileCondition(text: string): CompiledCondition {
  try {
    if (text.length > maxConditionLength)
      throw new ConditionProblem(`it is longer than ${maxConditionLength} characters`, maxConditionLength);
    return { ok: true, condition: compile(text) };
  } catch (error) {
    if (!(error instanceof ConditionProblem)) throw error;
    return { ok: false, problem: describeProblem(text, error) };
  }
}

function compile(text: string): Condition {
  const node = parseCondition(text);
  const { run, type, size } = compileNode(node, { text, variables, items: [] });
  if (type !== 'bool' && type !== 'any') throw new ConditionProblem(`it is a ${type}, not a bool`, node.start);
  return Object.freeze({
    evaluate(input: ConditionInput, meter: Meter): Evaluation {
      const frame: Frame = { left: meter.left, variables: { ...input }, items: [] };
      try {
        spend(frame, size);
        const value = run(frame);
        return typeof value === 'boolean' ? { kind: 'value', value } : fails(`it is a ${typeOf(value)}, not a bool`);
      } catch (error) {
        if (error instanceof ConditionFailure || error instanceof StepsUsedUp) return fails(error.message);
        throw error;
      } finally {
        meter.left = frame.left;
      }
    },
  });
}

function fails(because: string): Evaluation {
  return { kind: 'fails', because };
}
