// Who changes the configuration, as the audit log is told.
import type { ConfigAuthor } from '@portico/control-plane';
import { identityOf } from './caller.js';
import { correlationOf } from './correlation.js';
import type { Exchange } from './exchange.js';

/** @throws PorticoError INVALID_ARGS for a correlation header that is too long */
export function authorOf(x: Exchange, randomHex: (characters: number) => string): ConfigAuthor {
  return { identity: identityOf(x), correlation: correlationOf(x, {}, randomHex) };
}
