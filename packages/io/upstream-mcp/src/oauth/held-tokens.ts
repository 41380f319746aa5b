// The tokens in use, and when they are to be renewed: ahead of their end, so that no request meets a token that is over.
import type { AuthorizationServer } from './discovery.js';
import type { OAuthTokens } from './store.js';

export interface HeldTokens {
  readonly server: AuthorizationServer;
  readonly tokens: OAuthTokens;
  /** From here on they should be renewed; null when there is no end, or nothing to renew them with. */
  readonly renewAtEpochMs: number | null;
}

const longestMarginMs = 60_000;
/** Share of the remaining time, so that tokens of a few seconds are still used for most of it. */
const marginShare = 0.2;

export function holdTokens(server: AuthorizationServer, tokens: OAuthTokens, nowEpochMs: number): HeldTokens {
  const { expiresAtEpochMs, refreshToken } = tokens;
  if (expiresAtEpochMs === null || refreshToken === undefined) return { server, tokens, renewAtEpochMs: null };
  const leftMs = Math.max(expiresAtEpochMs - nowEpochMs, 0);
  const renewAtEpochMs = expiresAtEpochMs - Math.min(longestMarginMs, leftMs * marginShare);
  return { server, tokens, renewAtEpochMs };
}

export const isDue = ({ renewAtEpochMs }: HeldTokens, nowEpochMs: number): boolean =>
  renewAtEpochMs !== null && nowEpochMs >= renewAtEpochMs;

export const isOver = ({ expiresAtEpochMs }: OAuthTokens, nowEpochMs: number): boolean =>
  expiresAtEpochMs !== null && nowEpochMs >= expiresAtEpochMs;
