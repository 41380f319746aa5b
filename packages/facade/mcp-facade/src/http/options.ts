// How a listener for MCP clients is to behave. Where it listens is known, but not done, here.
export interface McpHttpOptions {
  /** Address it is bound to. */
  readonly bind: string;
  /** Asked for as a bearer token; null asks for none. */
  readonly authToken: string | null;
  /** The only profile it serves; null leaves that to each request. */
  readonly profile: string | null;
  /** Host values besides loopback and the bound address. */
  readonly allowedHosts: readonly string[];
  /** Origin values besides loopback; none of them is looked at where the list is empty. */
  readonly allowedOrigins: readonly string[];
  /** Between pings on open streams, milliseconds; null for none. */
  readonly sseKeepAliveMs: number | null;
  /** JSON where nothing has to be streamed. */
  readonly jsonResponse: boolean;
  /** Sessions of 2025-11-25 at a time. */
  readonly maxSessions?: number;
  /** How long a session may be idle, milliseconds. */
  readonly sessionIdleMs?: number;
}
