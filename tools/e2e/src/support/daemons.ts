// Daemons on one PostgreSQL, as behind a load balancer.
import { expect } from 'vitest';
import type { Daemon } from './daemon.js';
import type { PostgresServer } from './postgres.js';
import { scripted, tool } from './upstreams.js';
import type { Envelope } from './wire.js';

/** A lease is 10 s, and is looked at once in two. */
export const goneMs = 30_000;

export type StartDaemon<D extends Daemon = Daemon> = (config: object) => Promise<D>;

/**
 * One daemon by each of these functions, with one server `s` each that writes down what it receives in one place.
 * @param rest goes into their configuration, its servers beside `s`
 */
export async function openDaemons<const Starters extends readonly StartDaemon[]>(
  server: PostgresServer,
  starters: Starters,
  { mcpServers = {}, ...rest }: { readonly mcpServers?: object; readonly policy?: object } = {},
) {
  const upstream = scripted({ tools: ['a', 'slow', 'never', 'gated'].map((name) => tool(name)) });
  const url = server.url(await server.createDatabase());
  const config = {
    toolTimeoutMs: 60_000,
    mcpServers: { s: upstream.server, ...mcpServers },
    policy: { requireApproval: ['s.gated'] },
    storage: { url },
    ...rest,
  };
  const opened = await Promise.all(
    starters.map(async (start) => {
      const daemon = await start(config);
      await daemon.connected();
      return daemon;
    }),
  );
  // One for each starter, in their order.
  const daemons = opened as unknown as { [Index in keyof Starters]: Awaited<ReturnType<Starters[Index]>> };
  return { upstream, url, daemons };
}

export const key = (idempotency_key: string) => ({ idempotency_key });

interface TaskBody {
  readonly task: { readonly task_id: string; readonly status: string; readonly result?: Envelope };
}

/** Begins a call as a task, and gives the path of that. */
export async function beginTask(daemon: Daemon, capability_id: string, args: object = {}): Promise<string> {
  const { status, body } = await daemon.post<Envelope<TaskBody>>(
    '/v1/tools/call',
    { capability_id, args },
    { prefer: 'respond-async' },
  );
  expect(status).toBe(202);
  return `/v1/tasks/${body.data.task.task_id}`;
}

export async function taskAt(daemon: Daemon, path: string): Promise<TaskBody['task']> {
  return (await daemon.get<TaskBody>(path)).body.task;
}
