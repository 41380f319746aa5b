// Counts for people: what was asked of the catalog, and what became of executions.
import { describe, expect, it } from 'vitest';
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

  it('says how many approvals wait', async () => {
    const { plane, execute } = await connectPlane({ git }, { policy: { requireApproval: ['*'] } });
    await execute({ kind: 'tool', id: 'git.a' });
    expect(plane.activity().approvals_pending).toBe(1);
  });
});
