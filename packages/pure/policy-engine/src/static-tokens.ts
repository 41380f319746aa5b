// Static tokens by their digests. A lookup takes as long for a wrong token as for a right one, with any common prefix.
import { sha256Hex } from '@portico/canonical-json';
import { isSameDigest } from './access.js';

export interface TokenDigest {
  readonly role: string;
  /** Null if the token names no one. */
  readonly actorId: string | null;
  /** SHA-256 of the token, lower-case hex. */
  readonly sha256: string;
}

export interface TokenSet {
  /** The first entry with this token. Every entry is compared. */
  find(token: string): TokenDigest | undefined;
}

/** Compiles the SHA-256 digests of bearer tokens; comparisons take the same time for each. */
export function compileTokens(entries: readonly TokenDigest[]): TokenSet {
  return Object.freeze({
    find(token: string): TokenDigest | undefined {
      const digest = sha256Hex(token);
      return entries.filter(({ sha256 }) => isSameDigest(digest, sha256))[0];
    },
  });
}
