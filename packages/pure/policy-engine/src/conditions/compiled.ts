// The parts of a compiled expression, which the compiler of each kind of node makes and reads.
import type { Meter } from './meter.js';
import type { Node } from './parse.js';
import type { Value, ValueType } from './values.js';

/** The values that an evaluation reads, and the steps that it has left. */
export interface Frame extends Meter {
  readonly variables: Readonly<Record<string, Value>>;
  /** Items of the macros around, outermost first. */
  readonly items: Value[];
}

/** @throws ConditionFailure, StepsUsedUp */
export type Run = (frame: Frame) => Value;

export interface Compiled {
  readonly run: Run;
  /** `any` if it depends on the call. */
  readonly type: ValueType | 'any';
  /** Its nodes: the steps of one evaluation, without the repetitions of macros. */
  readonly size: number;
}

export interface Scope {
  readonly text: string;
  readonly variables: Readonly<Record<string, ValueType | 'any'>>;
  /** Names of the items of the macros around, outermost first. */
  readonly items: readonly string[];
}

/** @throws ConditionProblem */
export type Compile = (node: Node, scope: Scope) => Compiled;

/** The size of a node with these parts. */
export function sizeOf(parts: readonly Compiled[]): number {
  return parts.reduce((sum, { size }) => sum + size, 1);
}

/** A node as it is written. */
export function textOf({ text }: Scope, { start, end }: Node): string {
  return text.slice(start, end);
}
