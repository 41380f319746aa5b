// Tickets over the end of the daemon, orderly or not: nothing is lost, and nothing runs twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  approvalsOf,
  brief,
  callGated,
  contacts,
  type GatedEnvelope,
  openTicket,
  type Ticket,
} from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { hold } from './support/hold.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** A server, and daemons that come one after the other on the same state. */
function lineage(config: object = {}) {
  const upstream = scripted({ tools: [tool('echo'), tool('never'), tool('slow')] });
  const stateDir = tempFolder();
  const configOf = (policy: object) => ({
    mcpServers: { s: upstream.server },
    policy: { requireApproval: ['*'], ...policy },
    ...config,
  });
  const withApprovals = <D extends Daemon>(daemon: D) => ({ daemon, approvals: approvalsOf(daemon) });
  return {
    upstream,
    start: async (policy = {}) => withApprovals(await startDaemon(configOf(policy), { stateDir })),
    /** One that gets a signal. */
    startProcess: async (policy = {}, options: DaemonProcessOptions = {}) =>
      withApprovals(await startDaemonProcess(configOf(policy), { stateDir, ...options })),
  };
}

const key = (name: string) => ({ headers: { 'idempotency-key': name } });

describe.each(['SIGKILL', 'SIGTERM'] as const)('after %s', (signal) => {
  it('every ticket that a caller received is there, as it was [approval-gate-durable] [approval-survives-restart]', async () => {
    const { upstream, start, startProcess } = lineage();
    const first = await startProcess();
    await first.daemon.connected();
    const settled = [await openTicket(first.daemon, 's.echo', { n: 0 }), await openTicket(first.daemon, 's.echo')];
    await first.approvals.approve(settled[0]!);
    await first.approvals.reject(settled[1]!, { operator: 'ada', reason: 'no' });
    const before = await Promise.all(settled.map(first.approvals.get));
    const numbers = Array.from({ length: 10 }, (_, n) => n + 1);
    const pending = await Promise.all(numbers.map((n) => openTicket(first.daemon, 's.echo', { n, password: 'p' })));
    await first.daemon.stop(signal);

    const second = await start();
    expect(await Promise.all(settled.map(second.approvals.get))).toEqual(before);
    const { body } = await second.approvals.list('?status=pending');
    expect(body.approvals.map(({ id }) => id).sort()).toEqual([...pending].sort());
    for (const [index, id] of pending.entries()) {
      const ticket = await second.approvals.get(id);
      expect(ticket).toMatchObject({ args: { n: index + 1, password: 'p' }, sanitized_args: { n: index + 1 } });
      expect(ticket.expires_at - ticket.created_at).toBe(300);
    }
    expect(contacts(upstream)).toEqual([{ n: 0 }]);
    // Right after the start, the server may not be connected yet: that costs the approval nothing.
    const approved = await second.approvals.approve(pending[0]!);
    expect([approved.status, approved.body.result?.ok]).toEqual([200, true]);
    expect(contacts(upstream)).toEqual([{ n: 0 }, { n: 1, password: 'p' }]);
    expect(brief(await second.approvals.reject(settled[0]!))).toEqual([409, 'INVALID_ARGS']);
    const fresh = await openTicket(second.daemon, 's.echo');
    expect([...settled, ...pending]).not.toContain(fresh);
  });

  it('a key still belongs to its ticket, and then to its answer [approval-survives-restart] [approval-approve-route]', async () => {
    const { upstream, start, startProcess } = lineage();
    const first = await startProcess();
    await first.daemon.connected();
    const id = (await callGated(first.daemon, 's.echo', { n: 1 }, key('k'))).body.error.approval_id;
    await first.daemon.stop(signal);

    const second = await startProcess();
    await second.daemon.connected();
    const joined = await callGated(second.daemon, 's.echo', { n: 1 }, key('k'));
    expect([joined.status, joined.body.error.approval_id]).toEqual([202, id]);
    const { body } = await second.approvals.approve(id);
    const ticket = await second.approvals.get(id);
    await second.daemon.stop(signal);

    const third = await start();
    await third.daemon.connected();
    expect(await third.approvals.get(id)).toEqual(ticket);
    const replay = await callGated(third.daemon, 's.echo', { n: 1 }, key('k'));
    expect([replay.status, replay.headers['x-service-deduplicated'], replay.body.data]).toEqual([
      200,
      'true',
      body.result?.data,
    ]);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
  });

  it('a ticket without a decision in time has expired [approval-survives-restart] [approval-expiry] [approval-decided-409]', async () => {
    const { upstream, start, startProcess } = lineage();
    const first = await startProcess({ approvalTimeoutSecs: 1 });
    await first.daemon.connected();
    const id = await openTicket(first.daemon, 's.echo');
    await first.daemon.stop(signal);
    await sleep(1100); // the ticket's whole life

    const second = await start();
    const { expires_at, created_at } = await second.approvals.reaches(id, 'expired');
    expect(expires_at - created_at).toBe(1);
    expect(brief(await second.approvals.approve(id))).toEqual([409, 'INVALID_ARGS']);
    expect(contacts(upstream)).toEqual([]);
  });

  it('a ticket expires at its original time, with any current setting [approval-survives-restart] [approval-expiry]', async () => {
    const { start, startProcess } = lineage();
    const first = await startProcess({ approvalTimeoutSecs: 3 });
    await first.daemon.connected();
    const id = await openTicket(first.daemon, 's.echo');
    const { expires_at } = await first.approvals.get(id);
    await first.daemon.stop(signal);
    const second = await start({ approvalTimeoutSecs: 600 });
    expect((await second.approvals.get(id)).expires_at).toBe(expires_at);
    await second.approvals.reaches(id, 'expired');
    expect(Date.now()).toBeGreaterThanOrEqual(expires_at * 1000);
  });
});

describe('SIGTERM', () => {
  it('is not delayed by calls that wait for people: they are answered, and their tickets stay [approval-survives-restart]', async () => {
    const { upstream, start, startProcess } = lineage();
    // Calls that run are given 5 s on its clock: here longer than it is waited for before it is killed.
    const first = await startProcess({}, { clockFactor: 0.25 });
    await first.daemon.connected();
    const calls = ['a', 'b', 'c'].map((request_id) =>
      hold<GatedEnvelope>(
        first.daemon,
        '/v1/tools/call',
        { capability_id: 's.echo', args: { request_id }, request_id },
        { prefer: 'wait=100000' },
      ),
    );
    await eventually(async () => expect((await first.approvals.list()).body.total).toBe(3));
    const { code } = await first.daemon.stop();
    expect(code).toBe(0);
    const answers = await Promise.all(calls.map(({ reply }) => reply));
    expect(answers.map(brief)).toEqual(Array(3).fill([202, 'APPROVAL_PENDING']));

    const second = await start();
    for (const { body } of answers)
      expect((await second.approvals.get(body.error.approval_id)).status.status).toBe('pending');
    await second.approvals.approve(answers[1]!.body.error.approval_id);
    expect(contacts(upstream)).toEqual([{ request_id: 'b' }]);
  });
});

describe('SIGKILL while an approved call runs', () => {
  it.each([
    ['with a key', key('k'), 'idempotent'],
    ['without one', {}, 'unsafe'],
  ])(
    'leaves a result that says so, and never runs it again: %s [approval-approve-route] [approval-decided-409]',
    async (_, rest, classification) => {
      const { upstream, start, startProcess } = lineage();
      const first = await startProcess();
      await first.daemon.connected();
      const id = await openTicket(first.daemon, 's.never', { n: 1 }, rest);
      hold(first.daemon, `/v1/approvals/${id}/approve`, { operator: 'ada' });
      await eventually(() => expect(contacts(upstream)).toHaveLength(1));
      await first.daemon.stop('SIGKILL');

      const second = await start();
      await second.daemon.connected();
      const { result, status } = await second.approvals.finished(id);
      expect(status).toMatchObject({ status: 'approved', operator: 'ada' });
      expect([result.ok, result.error.code, result.error.retryable, result.retry]).toEqual([
        false,
        'INTERNAL_ERROR',
        false,
        { classification, upstream_execution_state: 'unknown' },
      ]);
      expect(brief(await second.approvals.approve(id))).toEqual([409, 'INVALID_ARGS']);
      if ('headers' in rest) {
        const repeat = await callGated(second.daemon, 's.never', { n: 1 }, rest);
        expect([repeat.status, repeat.body.retry.upstream_execution_state]).toEqual([500, 'unknown']);
      }
      expect(contacts(upstream)).toEqual([{ n: 1 }]);
    },
  );

  it('of twenty runs each at most once, and no ticket stays without a result [approval-approve-route] [approval-gate-durable]', async () => {
    const { upstream, start, startProcess } = lineage();
    const first = await startProcess();
    await first.daemon.connected();
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const ids = await Promise.all(numbers.map((n) => openTicket(first.daemon, 's.slow', { n, ms: 40 * n })));
    for (const id of ids) hold(first.daemon, `/v1/approvals/${id}/approve`, { operator: 'ada' });
    await eventually(() => expect(contacts(upstream).length).toBeGreaterThan(3));
    await first.daemon.stop('SIGKILL');

    const second = await start();
    const finished = (ticket: Ticket) => ticket.status.status === 'pending' || ticket.result !== undefined;
    await eventually(async () => {
      const tickets = await Promise.all(ids.map(second.approvals.get));
      expect([tickets.length, tickets.every(finished)]).toEqual([20, true]);
    });
    const ran = (contacts(upstream) as { n: number }[]).map(({ n }) => n);
    expect(new Set(ran).size).toBe(ran.length);
  });
});
