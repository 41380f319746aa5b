// Counts for people: requests to the catalog, and outcomes of executions.
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { parkedMs } from '../../interaction/parked-calls.js';
import { connectPlane, tool } from '../../testing/start-plane.js';

const git = { definitions: { tools: [tool('a')] }, handle: () => ({ content: [] }) };

describe('activity', () => {
  it('counts executions, failures and replays apart, and seconds whole', async () => {
    const { plane, clock, execute } = await connectPlane({ git });
    const call = { kind: 'tool', id: 'git.a' } as const;
    await execute({ ...call, idempotencyKey: 'k' });
    await execute({ ...call, idempotencyKey: 'k' });
    await execute({ ...call, id: 'git.nope' });
    plane.catalogAsked(false);
    plane.catalogAsked(true);
    await clock.advance(2999);
    expect(plane.activity()).toEqual({
      uptime_secs: 2,
      catalog_requests: 2,
      not_modified: 1,
      executions: 2,
      executions_failed: 1,
      replays: 1,
      approvals_pending: 0,
    });
  });

  it('counts a call that asks its caller once, and so does the audit log', async () => {
    const handle: MemoryServer['handle'] = async (_request, signal, handler) => {
      await handler?.onServerRequest({ method: 'elicitation/create', params: { message: 'who?' } }, signal);
      return { content: [] };
    };
    const { plane, execute, audit, metrics } = await connectPlane({ git: { ...git, handle } });
    const call = { kind: 'tool', id: 'git.a' } as const;
    const asked = await execute(call);
    const { requestState } = asked.data as { readonly requestState: string };
    await execute({ ...call, requestState, inputResponses: { q1: { action: 'accept' } } });
    expect(plane.activity().executions).toBe(1);
    expect(metrics.executions()).toHaveLength(1);
    const records = audit.kept().filter(({ event_type }) => event_type === 'tool_call');
    expect(records.map(({ status, details }) => [status, details])).toEqual([
      ['intercepted', { interim: true }],
      ['success', undefined],
    ]);
  });

  it('counts a call that asks a caller who never comes back once as well', async () => {
    const handle: MemoryServer['handle'] = async (_request, signal, handler) =>
      (await handler?.onServerRequest({ method: 'elicitation/create', params: { message: 'who?' } }, signal)) ?? {};
    const { plane, execute, clock } = await connectPlane({ git: { ...git, handle } });
    await execute({ kind: 'tool', id: 'git.a' });
    await clock.advance(parkedMs);
    expect(plane.activity()).toMatchObject({ executions: 1, executions_failed: 1 });
  });

  it('says how many approvals wait', async () => {
    const { plane, execute } = await connectPlane({ git }, { policy: { requireApproval: ['*'] } });
    await execute({ kind: 'tool', id: 'git.a' });
    expect(plane.activity().approvals_pending).toBe(1);
  });
});
