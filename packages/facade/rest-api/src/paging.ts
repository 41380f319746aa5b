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
  return {
    limit: integerOf(c, 'limit', { fallback: 50, min: 1, max: maxLimit }),
    offset: integerOf(c, 'offset', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
  };
}

/** The `limit` of a list without pages. @throws PorticoError INVALID_ARGS */
export function limitOf(c: Context, max: number): number {
  return integerOf(c, 'limit', { fallback: 50, min: 1, max });
}

interface Bounds {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** @throws PorticoError INVALID_ARGS */
export function integerOf(c: Context, name: string, { fallback, min, max }: Bounds): number {
  const text = c.req.query(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new PorticoError('INVALID_ARGS', `query ${name}: expected an integer from ${min} to ${max}`);
}
