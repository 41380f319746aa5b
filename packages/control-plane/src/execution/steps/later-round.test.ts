// A round that cannot be sent after an earlier one was: the effect of the earlier one is unknown, and it is not run
// again.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import type { CallClient } from '../../call/client.js';
import { connectPlane, hang, tool } from '../../testing/start-plane.js';

const question = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };

/** Asks by its answers, and does not come back once it is lost. */
const server: MemoryServer = {
  protocolVersion: '2026-07-28',
  definitions: { tools: [tool('ask')] },
  onConnect: (attempt) => (attempt === 1 ? undefined : hang()),
  handle: () => ({ resultType: 'input_required', inputRequests: { who: question }, requestState: 'x' }) as JsonObject,
};

async function loseBetweenRounds(idempotencyKey: string | null) {
  const started = await connectPlane({ s: server });
  const client: CallClient = {
    capabilities: { elicitation: { form: {} } },
    async ask() {
      started.server('s').drop('it crashed');
      return { action: 'accept', content: {} };
    },
  };
  const call = { kind: 'tool', id: 's.ask', idempotencyKey, client } as const;
  return { ...started, call, first: await started.execute(call) };
}

it('reports that the outcome of the call is unknown', async () => {
  const { first } = await loseBetweenRounds(null);
  expect(first).toMatchObject({
    error: { code: 'SERVER_UNREACHABLE' },
    retry: { classification: 'unsafe', upstream_execution_state: 'unknown' },
  });
});

it('is kept under its key', async () => {
  const { first, outcome, call, server } = await loseBetweenRounds('k');
  expect(first.retry).toEqual({ classification: 'idempotent', upstream_execution_state: 'unknown' });
  expect(await outcome(call)).toMatchObject({ kind: 'replayed', envelope: first });
  expect(server('s').requests()).toHaveLength(1);
});
