// `limit` and `offset` of lists. An invalid number is refused: an unrequested page would look like the end.
import { PorticoError } from '@portico/contracts';
import type { Context } from 'hono';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

const maxLimit = 1000;

/** @throws PorticoError INVALID_ARGS */
export function pageOf(c: Context): Page {
  return { limit: integer(c, 'limit', 50, 1, maxLimit), offset: integer(c, 'offset', 0, 0, Number.MAX_SAFE_INTEGER) };
}

/** The `limit` of a list without pages. @throws PorticoError INVALID_ARGS */
export function limitOf(c: Context, max: number): number {
  return integer(c, 'limit', 50, 1, max);
}

function integer(c: Context, name: string, fallback: number, min: number, max: number): number {
  const text = c.req.query(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new PorticoError('INVALID_ARGS', `query ${name}: expected an integer from ${min} to ${max}`);
}
