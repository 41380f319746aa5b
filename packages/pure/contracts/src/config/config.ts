// The configuration as the rest of Portico sees it: validated, defaults filled in, nothing optional left open.
import type { UpstreamAuth, UpstreamProtocolVersion } from './server-schema.js';

export interface Resilience {
  readonly failureThreshold: number;
  readonly cooldownMs: number;
  readonly consecutiveSuccesses: number;
  readonly autoRestart: boolean;
  readonly maxRestarts: number;
  /** Null means no health checks. */
  readonly healthCheckIntervalSecs: number | null;
}

export interface StdioServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpServer {
  readonly kind: 'http';
  readonly url: string;
  readonly protocolVersion: UpstreamProtocolVersion;
  readonly allowStateless: boolean;
  readonly allowPrivateMetadata: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: UpstreamAuth | null;
}

export interface ServerConfig {
  readonly transport: StdioServer | HttpServer;
  readonly resilience: Resilience;
}

export interface Alias {
  /** A canonical id, `<server>.<name>`. */
  readonly target: string;
  readonly summary?: string;
  readonly description?: string;
  /** Capabilities only: MCP clients see the tool under the alias itself. */
  readonly passthrough?: boolean;
}

export interface Aliases {
  readonly capability: ReadonlyMap<string, Alias>;
  readonly resource: ReadonlyMap<string, Alias>;
  readonly prompt: ReadonlyMap<string, Alias>;
}

export interface Profile {
  readonly servers: readonly string[];
  readonly description: string | null;
}

export interface Config {
  readonly port: number;
  readonly toolTimeoutMs: number;
  readonly aliases: Aliases;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly servers: ReadonlyMap<string, ServerConfig>;
  readonly authToken: string | null;
}

export const defaultResilience: Resilience = Object.freeze({
  failureThreshold: 3,
  cooldownMs: 30_000,
  consecutiveSuccesses: 2,
  autoRestart: true,
  maxRestarts: 5,
  healthCheckIntervalSecs: null,
});
