// Who changes the configuration, as the audit log is told.
import type { ConfigAuthor } from '@portico/control-plane';
import type { Context } from 'hono';
import { identityOf } from './caller.js';
import { correlationOf } from './correlation.js';

/** @throws PorticoError INVALID_ARGS for a correlation header that is too long */
export function authorOf(c: Context, randomHex: (characters: number) => string): ConfigAuthor {
  return { identity: identityOf(c), correlation: correlationOf(c, {}, randomHex) };
}
