// A daemon of several is killed: the others find what it had begun when its lease is over, and say what is known of it.
// One daemon is killed for all tests, with everything under way that they look at.
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, contacts, openTicket } from './support/approvals.js';
import { startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { beginTask, goneMs, key, openDaemons, taskAt } from './support/daemons.js';
import { startPostgres } from './support/postgres.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

let killed: Awaited<ReturnType<typeof killFirst>>;

beforeAll(async () => {
  killed = await killFirst();
});

const never = () => scripted({ tools: [tool('never')] });

/** Kills the first of three, while a call under a key, an approved call, a task and three tickets of it are open. */
async function killFirst() {
  const [keyed, approved, tasked] = [never(), never(), never()];
  const { upstream, daemons } = await openDaemons(
    await startPostgres(),
    [startDaemonProcess, startDaemon, startDaemon],
    {
      mcpServers: { keyed: keyed.server, approved: approved.server, tasked: tasked.server },
      policy: { requireApproval: ['s.gated', 'approved.never'], approvalTimeoutSecs: 20 },
    },
  );
  const [first, second, third] = daemons;
  const lost = first.call('keyed.never', {}, key('k')).catch(() => {});
  const running = await openTicket(second, 'approved.never');
  const decided = approvalsOf(first)
    .approve(running)
    .catch(() => {});
  const task = await beginTask(first, 'tasked.never');
  await eventually(() => expect([keyed, approved].map(contacts)).toMatchObject([{ length: 1 }, { length: 1 }]));
  const waiting = second.call('keyed.never', {}, key('k'));
  const [one, two, forgotten] = await Promise.all([1, 2, 3].map((n) => openTicket(first, 's.gated', { n })));
  await first.stop('SIGKILL');
  await Promise.all([lost, decided]);
  const decisions = await Promise.all([approvalsOf(second).approve(one ?? ''), approvalsOf(third).reject(two ?? '')]);
  return { upstream, keyed, approved, second, waiting, running, task, decisions, forgotten: forgotten ?? '' };
}

describe('a key', () => {
  it('whose daemon is killed is answered as unknown once its lease is over, and is not run again', async () => {
    const { keyed, second, waiting } = killed;
    const { status, body } = await waiting;
    expect([status, body.retry.upstream_execution_state, body.error.retryable]).toEqual([500, 'unknown', false]);
    expect((await second.call('keyed.never', {}, key('k'))).body.retry.upstream_execution_state).toBe('unknown');
    expect(contacts(keyed)).toHaveLength(1);
  });
});

describe('an approval', () => {
  it('whose daemon is killed is decided at the others, and expires there', async () => {
    const { upstream, second, decisions, forgotten } = killed;
    const [approved, rejected] = decisions;
    expect(approved.body.result?.ok).toBe(true);
    expect(rejected.status).toBe(200);
    await eventually(async () => {
      const { status } = await approvalsOf(second).get(forgotten);
      expect(status.status).toBe('expired');
    }, 2 * goneMs);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
  }, 90_000);

  it('whose call dies with its daemon has an unknown result, and is not run again', async () => {
    const { approved, second, running } = killed;
    const { result } = await eventually(async () => {
      const ticket = await approvalsOf(second).get(running);
      expect(ticket.result).toBeDefined();
      return ticket;
    }, goneMs);
    expect(result).toMatchObject({ ok: false, retry: { upstream_execution_state: 'unknown' } });
    expect(contacts(approved)).toHaveLength(1);
  });
});

describe('a task', () => {
  it('ends as unknown when its daemon is killed', async () => {
    const { second, task } = killed;
    await eventually(async () => expect((await taskAt(second, task)).status).toBe('failed'), goneMs);
    expect((await taskAt(second, task)).result?.retry.upstream_execution_state).toBe('unknown');
  });
});
