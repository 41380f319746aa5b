// Daemons on one PostgreSQL, as behind a load balancer.
import { expect } from 'vitest';
import { type DaemonProcess, startDaemonProcess } from './daemon-process.js';
import type { PostgresServer } from './postgres.js';
import { scripted, tool } from './upstreams.js';
import type { Envelope } from './wire.js';

/** A lease is 10 s, and is looked at once in two. */
export const goneMs = 30_000;

/** So many, with one server `s` each that writes down what it receives in one place; `rest` goes into their configuration. */
export async function openDaemons(server: PostgresServer, count: number, rest: object = {}) {
  const upstream = scripted({ tools: ['a', 'slow', 'never', 'gated'].map((name) => tool(name)) });
  const url = server.url(await server.createDatabase());
  const config = {
    toolTimeoutMs: 60_000,
    mcpServers: { s: upstream.server },
    policy: { requireApproval: ['s.gated'] },
    storage: { url },
    ...rest,
  };
  const start = async () => {
    const daemon = await startDaemonProcess(config);
    await daemon.connected();
    return daemon;
  };
  const daemons = await Promise.all(Array.from({ length: count }, start));
  const [first, second, third] = daemons as [DaemonProcess, DaemonProcess, DaemonProcess];
  return { upstream, url, daemons, first, second, third };
}

export const key = (idempotency_key: string) => ({ idempotency_key });

interface TaskBody {
  readonly task: { readonly task_id: string; readonly status: string; readonly result?: Envelope };
}

/** Begins a call of `s` as a task, and gives the path of that. */
export async function beginTask(daemon: DaemonProcess, tool: string, args: object = {}): Promise<string> {
  const { status, body } = await daemon.post<Envelope<TaskBody>>(
    '/v1/tools/call',
    { capability_id: `s.${tool}`, args },
    { prefer: 'respond-async' },
  );
  expect(status).toBe(202);
  return `/v1/tasks/${body.data.task.task_id}`;
}

export async function taskAt(daemon: DaemonProcess, path: string): Promise<TaskBody['task']> {
  return (await daemon.get<TaskBody>(path)).body.task;
}
