// Starts or reaches each server of a configuration once, asks what it offers, and ends it again. Nothing is written.
import { createSecretSource } from '@portico/config-host';
import type { Config, ServerConfig } from '@portico/contracts';
import { createKnownSecrets, createMcpConnector, type McpConnector } from '@portico/upstream-mcp';
import type { UpstreamEvents } from '@portico/upstream-pool';
import { version } from '../version.js';

export type Probe = { readonly server: string } & (
  | { readonly kind: 'reached'; readonly protocolVersion: string; readonly tools: number; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly transport: ServerConfig['transport']['kind'];
      readonly reason: string;
      /** Its last lines on stderr, at most five. */
      readonly wrote: readonly string[];
      readonly durationMs: number;
    }
  /** It would ask a person to log in. */
  | { readonly kind: 'login' }
);

export interface ProbeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For each server. */
  readonly limitMs: number;
}

const ignore: UpstreamEvents = {
  onClosed() {},
  onListChanged() {},
  onResourceUpdated() {},
  onLog() {},
  onLogMessage() {},
  onServerRequest: () => Promise.reject(new Error('a check answers no requests of servers')),
};

const keptLines = 5;

/** All at once, in the order of the configuration. */
export async function probeServers(
  { servers }: Pick<Config, 'servers'>,
  options: ProbeOptions,
): Promise<readonly Probe[]> {
  const { env, limitMs } = options;
  const knownSecrets = createKnownSecrets();
  const lookUpSecret = createSecretSource({ env });
  const connector = createMcpConnector({ clientInfo: { name: 'portico', version }, env, lookUpSecret, knownSecrets });
  try {
    return await Promise.all([...servers].map(([id, server]) => probe(connector, id, server, limitMs)));
  } finally {
    await connector.close();
  }
}

async function probe(connector: McpConnector, id: string, server: ServerConfig, limitMs: number): Promise<Probe> {
  const { transport } = server;
  if (transport.kind === 'http' && transport.auth?.type === 'oauth2') return { server: id, kind: 'login' };
  const startedAt = performance.now();
  const spent = () => Math.round(performance.now() - startedAt);
  const signal = AbortSignal.timeout(limitMs);
  let wrote: readonly string[] = [];
  const onLog = (line: string) => {
    wrote = [...wrote, line].slice(-keptLines);
  };
  try {
    const session = await connector.connect(id, server, { ...ignore, onLog }, signal);
    try {
      const { tools } = await session.discover(signal);
      const { protocolVersion } = session;
      return { server: id, kind: 'reached', protocolVersion, tools: tools.length, durationMs: spent() };
    } finally {
      await session.close();
    }
  } catch (error) {
    const reason = signal.aborted
      ? `no answer within ${limitMs} ms`
      : error instanceof Error
        ? error.message
        : String(error);
    return { server: id, kind: 'failed', transport: transport.kind, reason, wrote, durationMs: spent() };
  }
}
