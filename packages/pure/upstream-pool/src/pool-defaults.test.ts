// A pool whose program listens to nothing.
import { expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';
import { createMemoryConnector } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import { configOf } from './testing/one-server.js';

it('answers calls, and refuses what a server asks outside of one', async () => {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: { handle: async () => ({ content: [] }) } });
  const pool = createUpstreamPool({ connector, clock });
  const upstream = pool.mount('s', configOf({ command: 'x' }));
  await clock.advance(0);
  const deadline = { signal: new AbortController().signal, atMs: Number.POSITIVE_INFINITY };
  const outcome = await upstream.send({ method: 'tools/call', params: { name: 'add', arguments: {} } }, deadline);
  expect(outcome).toEqual({ kind: 'answered', result: { content: [] } });
  const question = { method: 'sampling/createMessage', params: {} } as const;
  await expect(connector.server('s').ask(question)).rejects.toMatchObject({ code: -32601 });
  await pool.close();
});
