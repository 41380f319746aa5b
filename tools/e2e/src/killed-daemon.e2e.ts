// A daemon of several is killed: the others find what it had begun when its lease is over, and say what is known of it.
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, contacts, openTicket } from './support/approvals.js';
import { beginTask, goneMs, key, openDaemons, taskAt } from './support/daemons.js';
import { startPostgres } from './support/postgres.js';
import { eventually } from './support/wait.js';

let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

describe('a key', () => {
  it('whose daemon is killed is answered as unknown once its lease is over, and is not run again', async () => {
    const { upstream, first, second } = await openDaemons(server, 2);
    const lost = first.call('s.never', {}, key('k')).catch(() => {});
    await eventually(() => expect(contacts(upstream)).toHaveLength(1));
    const waiting = second.call('s.never', {}, key('k'));
    await first.stop('SIGKILL');
    await lost;
    const { status, body } = await waiting;
    expect([status, body.retry.upstream_execution_state, body.error.retryable]).toEqual([500, 'unknown', false]);
    expect((await second.call('s.never', {}, key('k'))).body.retry.upstream_execution_state).toBe('unknown');
    expect(contacts(upstream)).toHaveLength(1);
  }, 60_000);
});

describe('an approval', () => {
  it('whose daemon is killed is decided at the others, and expires there', async () => {
    const policy = { requireApproval: ['s.gated'], approvalTimeoutSecs: 20 };
    const { upstream, first, second, third } = await openDaemons(server, 3, { policy });
    const [one, two, forgotten] = await Promise.all([1, 2, 3].map((n) => openTicket(first, 's.gated', { n })));
    await first.stop('SIGKILL');
    expect((await approvalsOf(second).approve(one ?? '')).body.result?.ok).toBe(true);
    expect((await approvalsOf(third).reject(two ?? '')).status).toBe(200);
    await eventually(async () => {
      const { status } = await approvalsOf(second).get(forgotten ?? '');
      expect(status.status).toBe('expired');
    }, 2 * goneMs);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
  }, 90_000);

  it('whose call dies with its daemon has an unknown result, and is not run again', async () => {
    const { upstream, first, second } = await openDaemons(server, 2, { policy: { requireApproval: ['s.never'] } });
    const id = await openTicket(second, 's.never');
    const decided = approvalsOf(first)
      .approve(id)
      .catch(() => {});
    await eventually(() => expect(contacts(upstream)).toHaveLength(1));
    await first.stop('SIGKILL');
    await decided;
    const { result } = await eventually(async () => {
      const ticket = await approvalsOf(second).get(id);
      expect(ticket.result).toBeDefined();
      return ticket;
    }, goneMs);
    expect(result).toMatchObject({ ok: false, retry: { upstream_execution_state: 'unknown' } });
    expect(contacts(upstream)).toHaveLength(1);
  }, 60_000);
});

describe('a task', () => {
  it('ends as unknown when its daemon is killed', async () => {
    const { first, second } = await openDaemons(server, 2);
    const path = await beginTask(first, 'never');
    await first.stop('SIGKILL');
    await eventually(async () => expect((await taskAt(second, path)).status).toBe('failed'), goneMs);
    expect((await taskAt(second, path)).result?.retry.upstream_execution_state).toBe('unknown');
  }, 60_000);
});
