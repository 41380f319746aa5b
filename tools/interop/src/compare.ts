// Whether a client had the same results behind Portico as in a session with the server itself. Intended changes by
// Portico or a client are removed first, by these rules and no others.
import { isDeepStrictEqual } from 'node:util';
import type { Step, StepResult } from './run-client.js';

export type Cell =
  | { readonly kind: 'same' }
  /** The client's session ended with Portico, and the next one goes on: only for `restart`. */
  | { readonly kind: 'again' }
  | { readonly kind: 'lacks'; readonly reason: string }
  | { readonly kind: 'explained'; readonly reason: string }
  | { readonly kind: 'differs'; readonly direct: string; readonly portico: string };

export function compare(step: Step, direct: StepResult, portico: StepResult): Cell {
  if (
    direct.kind === 'lacks' &&
    portico.kind === 'lacks' &&
    isDeepStrictEqual(put(direct.result), put(portico.result))
  ) {
    return { kind: 'lacks', reason: portico.reason };
  }
  if (direct.kind === 'error' && portico.kind === 'error' && direct.message === portico.message) {
    return { kind: 'lacks', reason: `it fails with the server itself too, with \`${direct.message}\`` };
  }
  if (direct.kind !== 'result' || portico.kind !== 'result') return differs(direct, portico);
  const [expected, { afterConnectingAgain, ...found }] = [put(direct.result), again(put(portico.result))];
  if (!isDeepStrictEqual({ value: expected }, found)) return differs(direct, portico);
  return step === 'restart' && afterConnectingAgain === true ? { kind: 'again' } : { kind: 'same' };
}

interface Found {
  readonly value: unknown;
  readonly afterConnectingAgain?: unknown;
}

function again(value: unknown): Found {
  if (!isObject(value) || !('afterConnectingAgain' in value)) return { value };
  const { afterConnectingAgain, ...rest } = value;
  return { value: rest, afterConnectingAgain };
}

const differs = (direct: StepResult, portico: StepResult): Cell => ({
  kind: 'differs',
  direct: textOf(direct),
  portico: textOf(portico),
});

function textOf(outcome: StepResult): string {
  switch (outcome.kind) {
    case 'result':
      return JSON.stringify(put(outcome.result));
    case 'lacks':
      return `${outcome.reason}, and the call ended with ${JSON.stringify(put(outcome.result))}`;
    case 'error':
      return `an error: ${outcome.message}`;
  }
}

const left = ['io.modelcontextprotocol/serverInfo', 'progressToken', 'ttlMs', 'cacheScope'];

/** The value without what the rules put aside. */
function put(value: unknown): unknown {
  if (Array.isArray(value)) return sorted(value.map(put));
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !left.includes(key))
    .map(([key, member]) => [key, put(member)] as const)
    .filter(([key, member]) => !(['_meta', 'params'].includes(key) && isEmpty(member)));
  return Object.fromEntries(entries);
}

/** Definitions; other arrays stay as they are. */
function sorted(items: readonly unknown[]): readonly unknown[] {
  const keys = items.map((item) => (isObject(item) ? (item.uri ?? item.uriTemplate ?? item.name) : undefined));
  if (!keys.every((key) => typeof key === 'string')) return items;
  return items
    .map((item, index) => ({ item, key: keys[index] as string })) // each of them was checked above
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isEmpty = (value: unknown) => value === undefined || (isObject(value) && Object.keys(value).length === 0);
