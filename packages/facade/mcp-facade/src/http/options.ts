// How a listener for MCP clients is to behave. Where it listens is known, but not done, here.
import type { ServerResponse } from 'node:http';
import type { JwtRules } from '@portico/contracts';
import type { Authenticate } from '@portico/control-plane';

/**
 * Writes the head of an answer whose body has a length.
 * @param headers without that length; frozen where they are those of many answers
 */
export type WriteHead = (
  outgoing: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  length: number,
) => void;

export interface McpHttpOptions {
  /** Address it is bound to. */
  readonly bind: string;
  /** Identifies the client of a request. */
  readonly authenticate: Authenticate;
  /** Rules for the tokens of an issuer, published to clients that look for one; null if no issuer is accepted. */
  readonly jwt: () => JwtRules | null;
  /** The only profile it serves; null leaves that to each request. */
  readonly profile: string | null;
  /** Host values besides loopback and the bound address. */
  readonly allowedHosts: readonly string[];
  /** Origin values besides loopback; any other is refused, `null` too unless it is listed. */
  readonly allowedOrigins: readonly string[];
  /** Between pings on open streams, milliseconds; null for none. */
  readonly sseKeepAliveMs: number | null;
  /** After which a stream of a request is closed before its answer, milliseconds; null, the default, for never. */
  readonly ssePollMs?: number | null;
  /** JSON where nothing has to be streamed. */
  readonly jsonResponse: boolean;
  /** Sessions of 2025-11-25 that one principal may have, in place of `limits.sessions`. */
  readonly maxSessions?: number;
  /** How long a session may be idle, milliseconds. */
  readonly sessionIdleMs?: number;
  /** By `writeHead` of Node by default. */
  readonly writeHead?: WriteHead;
}
