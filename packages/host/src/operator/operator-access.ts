// The operator token of a running service, and the sessions of the web console that are as good as it. Both are looked up
// by digest; sessions and codes end with the process.
import { createHash, randomBytes } from 'node:crypto';
import type { ConsoleCode, ConsoleSession } from '@portico/rest-api';

export interface OperatorAccess {
  /** The token from now on; undefined if administration needs none, which ends every session. */
  setToken(token: string | undefined): void;
  /** Whether it is the token, or that of a session that is not over. */
  isGood(token: string): boolean;
  /** Null if the console needs none. */
  issueCode(): ConsoleCode | null;
  /** Undefined for a code that is not known, was used, or is over. */
  redeem(code: string): ConsoleSession | undefined;
}

export const codeLifeMs = 10 * 60_000;
export const sessionLifeMs = 12 * 60 * 60_000;
/** More codes or sessions end the oldest: a person has no more at a time. */
const maxKept = 100;

export function createOperatorAccess(now: () => number = Date.now): OperatorAccess {
  let tokenDigest: string | undefined;
  const codes = new Map<string, number>();
  const sessions = new Map<string, number>();
  return {
    setToken(token) {
      const next = token === undefined ? undefined : digestOf(token);
      if (next === tokenDigest) return;
      tokenDigest = next;
      codes.clear();
      sessions.clear();
    },
    isGood(token) {
      const digest = digestOf(token);
      return tokenDigest !== undefined && (digest === tokenDigest || (sessions.get(digest) ?? 0) > now());
    },
    issueCode() {
      if (tokenDigest === undefined) return null;
      const { secret: code, expiresAtMs } = issue(codes, now() + codeLifeMs);
      return { code, expiresAtMs };
    },
    redeem(code) {
      const digest = digestOf(code);
      const expiresAtMs = codes.get(digest) ?? 0;
      codes.delete(digest);
      if (expiresAtMs <= now()) return undefined;
      const session = issue(sessions, now() + sessionLifeMs);
      return { token: session.secret, expiresAtMs: session.expiresAtMs };
    },
  };
}

function issue(kept: Map<string, number>, expiresAtMs: number) {
  const [oldest] = kept.keys();
  if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
  const secret = randomBytes(32).toString('base64url');
  kept.set(digestOf(secret), expiresAtMs);
  return { secret, expiresAtMs };
}

/** The time of a comparison of digests says nothing of what they are of. */
function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
