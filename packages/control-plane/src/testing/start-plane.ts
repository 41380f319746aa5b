// A control plane over servers that live in the test, on a clock that moves when told. For tests of this package only.
import { type Config, type JsonObject, resolveConfig } from '@portico/contracts';
import { createManualClock, createMemoryConnector, type MemoryServer } from '@portico/upstream-pool';
import type { Call } from '../call.js';
import { createControlPlane } from '../control-plane.js';

export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
export const correlation = { requestId: 'r-1', traceId };

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** What a test says of a call; the rest has the values above. */
export type CallInput = Partial<Call> & Pick<Call, 'kind' | 'id'>;

export function configOf(file: object): Config {
  const resolved = resolveConfig(file);
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.issues));
  return resolved.value;
}

/** Starts a plane; every server has `command` as its transport unless the file says otherwise. */
export function startPlane(servers: Readonly<Record<string, MemoryServer>>, file: object = {}) {
  const mcpServers = Object.fromEntries(Object.keys(servers).map((id) => [id, { command: 'node' }]));
  const clock = createManualClock();
  const connector = createMemoryConnector(servers);
  const log: LogLine[] = [];
  const plane = createControlPlane(
    {
      connector,
      clock,
      randomHex: (characters) => 'b7'.repeat(characters / 2),
      log: (level, message, fields) => log.push({ level, message, fields }),
    },
    configOf({ mcpServers, ...file }),
  );
  plane.start();
  return {
    plane,
    clock,
    log,
    server: connector.server,
    execute: (input: CallInput) =>
      plane.execute({ args: {}, correlation, profile: null, signal: new AbortController().signal, ...input }),
  };
}

/** As `startPlane`, with every server connected that can be. */
export async function connectPlane(servers: Readonly<Record<string, MemoryServer>>, file: object = {}) {
  const started = startPlane(servers, file);
  await started.clock.advance(0);
  return started;
}

export function tool(name: string, more: object = {}) {
  return { name, inputSchema: { type: 'object' } as JsonObject, ...more };
}

export const hang = () => new Promise<never>(() => {});
