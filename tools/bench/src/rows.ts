// A row of the results: what was measured in each round, beside what, and whether that is what was aimed at.
import { median, withSpread } from './statistics.js';

export interface Target {
  readonly kind: 'at least' | 'at most' | 'under';
  readonly value: number;
}

export interface Row {
  readonly scenario: string;
  /** A figure of the same rounds, where the figure is a ratio or a difference. */
  readonly beside?: string;
  /** One figure for each round. */
  readonly figures: readonly number[];
  readonly unit?: string;
  readonly digits: number;
  /** Absent for values that are only reported. */
  readonly target?: Target;
}

export const atLeast = (value: number): Target => ({ kind: 'at least', value });
export const atMost = (value: number): Target => ({ kind: 'at most', value });
export const under = (value: number): Target => ({ kind: 'under', value });

/** The median counts; the spread says how much it is worth. */
export function isMet({ figures, target }: Row): boolean | undefined {
  if (target === undefined) return undefined;
  const figure = median(figures);
  switch (target.kind) {
    case 'at least':
      return figure >= target.value;
    case 'at most':
      return figure <= target.value;
    case 'under':
      return figure < target.value;
  }
}

export function figureText({ figures, digits, unit }: Row): string {
  return withUnit(withSpread(figures, digits), unit);
}

export function targetText({ target, unit }: Row): string {
  return target === undefined ? '' : withUnit(`${target.kind} ${target.value}`, unit);
}

export function verdict(row: Row): string {
  const met = isMet(row);
  return met === undefined ? '' : met ? 'met' : 'missed';
}

function withUnit(text: string, unit: string | undefined): string {
  return unit === undefined ? text : `${text} ${unit}`;
}
