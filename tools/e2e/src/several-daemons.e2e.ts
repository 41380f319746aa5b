// Several daemons on one PostgreSQL, as behind a load balancer: whichever of them a request comes to, a key runs once, a
// ticket is decided once, and a cancel reaches what is meant.
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, brief, callGated, contacts, openTicket } from './support/approvals.js';
import { auditOf } from './support/audit.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { beginTask, key, openDaemons, taskAt } from './support/daemons.js';
import { query, startPostgres } from './support/postgres.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

const two = [startDaemon, startDaemon] as const;
const three = [startDaemon, startDaemon, startDaemon] as const;

/** This many keys are asked for at a time. */
const atOnce = 24;

/** Runs the work for a thousand keys. */
async function forEachKey(work: (n: number) => Promise<void>): Promise<void> {
  const keys = Array.from({ length: 1000 }, (_, n) => n);
  const worker = async () => {
    for (let n = keys.shift(); n !== undefined; n = keys.shift()) await work(n);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

describe('a thousand calls under keys, at three daemons of which one is killed', () => {
  it('run once each, with one answer for each key, and every chain is valid [daemon-storage-url]', async () => {
    const { upstream, url, daemons } = await openDaemons(server, [
      startDaemonProcess,
      startDaemonProcess,
      startDaemonProcess,
    ]);
    const [first, second, third] = daemons;
    const versions = await Promise.all(daemons.map(async (d) => (await d.list('capabilities')).body.catalog_version));
    expect(new Set(versions).size).toBe(1);

    const answers = new Map<number, string[]>();
    const ask = async (daemon: Daemon, n: number) => {
      const { status, body } = await daemon.call('s.slow', { ms: n % 30, n }, key(`k-${n}`));
      const seen = answers.get(n) ?? [];
      answers.set(n, [...seen, JSON.stringify([status, body.ok, body.data, body.error?.code])]);
      return body;
    };
    let asked = 0;
    /** Each key at two daemons at once. */
    const calling = forEachKey(async (n) => {
      asked += 1;
      const two = [daemons[n % 3], daemons[(n + 1) % 3]] as readonly Daemon[];
      await Promise.all(two.map((daemon) => ask(daemon, n).catch(() => {}))); // one of them is killed
    });
    await eventually(() => expect(asked).toBeGreaterThan(500), 150_000);
    await third.stop('SIGKILL');
    await calling;

    // For every state of a key, both running daemons say the same of it, also where the killed one had begun it.
    await forEachKey(async (n) => void (await Promise.all([ask(first, n), ask(second, n)])));
    for (const said of answers.values()) expect(new Set(said).size).toBe(1);
    const runs = new Map<unknown, number>();
    for (const { n } of contacts(upstream) as readonly { readonly n: number }[]) runs.set(n, (runs.get(n) ?? 0) + 1);
    expect([...runs.values()].filter((count) => count > 1)).toEqual([]);
    const kept = await query(
      url,
      'select count(*)::int as keys, count(completed_at_ms)::int as completed from executions',
    );
    expect(kept).toEqual([{ keys: 1000, completed: 1000 }]);
    const unknown = [...answers].filter(([, [answer]]) => answer?.includes('INTERNAL_ERROR')).map(([n]) => n);
    expect(unknown.length).toBeLessThanOrEqual(atOnce);
    // It may be killed between the intent and the contact.
    const neverRun = [...answers.keys()].filter((n) => !runs.has(n));
    expect(neverRun.filter((n) => !unknown.includes(n))).toEqual([]);
    for (const daemon of [first, second]) {
      const { is_valid, total_records } = await auditOf(daemon).report();
      expect([is_valid, total_records > 500]).toEqual([true, true]);
    }
  }, 300_000);
});

describe('a key', () => {
  it('that runs at one daemon is waited for at the others, and given as soon as it has ended', async () => {
    const { upstream, daemons } = await openDaemons(server, three);
    const [first, second, third] = daemons;
    const running = first.call('s.slow', { ms: 1500 }, key('k'));
    await eventually(() => expect(contacts(upstream)).toHaveLength(1));
    const joined = await Promise.all([second, third].map((daemon) => daemon.call('s.slow', { ms: 1500 }, key('k'))));
    const { body } = await running;
    expect(joined.map((answer) => [answer.body.data, answer.headers['x-service-deduplicated']])).toEqual([
      [body.data, 'true'],
      [body.data, 'true'],
    ]);
    const other = await second.call('s.slow', { ms: 1 }, key('k'));
    expect(brief(other)).toEqual([400, 'INVALID_ARGS']);
    expect(contacts(upstream)).toHaveLength(1);
  });

  it('that is cancelled at one daemon has that outcome at the one that waited', async () => {
    const {
      upstream,
      daemons: [first, second],
    } = await openDaemons(server, two);
    const running = first.call('s.never', {}, { ...key('k'), request_id: 'r' });
    await eventually(() => expect(contacts(upstream)).toHaveLength(1));
    const waiting = second.call('s.never', {}, key('k'));
    await second.send('/v1/operations/r/cancel', { method: 'POST' });
    expect([brief(await running), brief(await waiting)]).toEqual([
      [499, 'OPERATION_CANCELLED'],
      [499, 'OPERATION_CANCELLED'],
    ]);
    expect(contacts(upstream)).toHaveLength(1);
  });
});

describe('an approval', () => {
  it('that one daemon asks for is decided at another, once, and its caller gets the decision', async () => {
    const { upstream, daemons } = await openDaemons(server, three);
    const [first, second, third] = daemons;
    const waiting = callGated(first, 's.gated', { n: 1 }, { headers: { prefer: 'wait=30' } });
    const id = await eventually(async () => {
      const { body } = await approvalsOf(second).list('?status=pending');
      expect(body.total).toBe(1);
      return body.approvals[0]?.id ?? '';
    });
    const decisions = await Promise.all([second, third].map((daemon) => approvalsOf(daemon).approve(id)));
    expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { status, body } = await waiting;
    expect([status, body.ok]).toEqual([200, true]);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
    expect((await approvalsOf(third).get(id)).result).toMatchObject({ ok: true });
  });
});

describe('a cancel', () => {
  it('reaches the daemon where the call runs, and that where a ticket waits', async () => {
    const {
      upstream,
      daemons: [first, second],
    } = await openDaemons(server, two, {
      policy: { requireApproval: ['s.gated', 's.slow'] },
    });
    const cancel = (id: string) =>
      second.send<{ readonly cancelled: boolean }>(`/v1/operations/${id}/cancel`, { method: 'POST' });
    const running = first.call('s.never', {}, { request_id: 'r' });
    await eventually(() => expect(contacts(upstream)).toHaveLength(1));
    expect((await cancel('r')).body.cancelled).toBe(true);
    expect(brief(await running)).toEqual([499, 'OPERATION_CANCELLED']);
    const gated = callGated(first, 's.slow', { ms: 60_000 }, { request_id: 'w', headers: { prefer: 'wait=60' } });
    const waiting = await eventually(async () => {
      const { body } = await approvalsOf(second).list('?status=pending');
      expect(body.total).toBe(1);
      return body.approvals[0]?.id ?? '';
    });
    const approved = approvalsOf(second).approve(waiting);
    await eventually(() => expect(contacts(upstream)).toHaveLength(2));
    // It waits at the first daemon, and runs at the second.
    const both = await first.send<{ readonly cancelled: boolean }>('/v1/operations/w/cancel', { method: 'POST' });
    expect(both.body.cancelled).toBe(true);
    expect((await approved).body.result?.error.code).toBe('OPERATION_CANCELLED');
    expect(brief(await gated)).toEqual([499, 'OPERATION_CANCELLED']);
    const ticket = await openTicket(first, 's.gated', {}, { request_id: 'g' });
    expect((await cancel('g')).body.cancelled).toBe(true);
    expect((await approvalsOf(second).get(ticket)).status).toMatchObject({ status: 'rejected', reason: 'cancelled' });
    expect((await cancel('r')).body.cancelled).toBe(false);
  });
});

describe('a task', () => {
  it('is looked at and cancelled at any daemon', async () => {
    const {
      daemons: [first, second],
    } = await openDaemons(server, two);
    const path = await beginTask(first, 's.never');
    expect((await taskAt(second, path)).status).toBe('working');
    const cancelled = await second.send<{ readonly task: { readonly status: string } }>(`${path}/cancel`, {
      method: 'POST',
    });
    expect([cancelled.status, cancelled.body.task.status]).toEqual([200, 'cancelled']);
    expect([(await taskAt(first, path)).status, (await taskAt(second, path)).status]).toEqual([
      'cancelled',
      'cancelled',
    ]);
    const done = await beginTask(first, 's.slow', { ms: 1 });
    await eventually(async () => expect((await taskAt(second, done)).status).toBe('completed'));
  });
});

describe('a sampling ticket', () => {
  it('that is asked for at one daemon is answered at another', async () => {
    const {
      daemons: [first, second],
    } = await openDaemons(server, two);
    const request = {
      messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
      max_tokens: 5,
      server_id: 's',
    };
    const asked = first.post<Envelope>('/v1/sampling/create_message', request, { prefer: 'wait=30' });
    const id = await eventually(async () => {
      const { body } = await second.get<{ readonly requests: readonly { readonly id: string }[] }>(
        '/v1/sampling/requests',
      );
      expect(body.requests).toHaveLength(1);
      return body.requests[0]?.id ?? '';
    });
    const result = { role: 'assistant', content: { type: 'text', text: 'ho' }, model: 'm' };
    const answered = await second.post(`/v1/sampling/requests/${id}/respond`, { result });
    expect(answered.status).toBe(200);
    expect((await asked).status).toBe(200);
  });
});

describe('a daemon that stops', () => {
  it('leaves at once: what it had open belongs to the others before its lease is over', async () => {
    const {
      url,
      daemons: [first, second],
    } = await openDaemons(server, two);
    const ticket = await openTicket(first, 's.gated', { n: 1 });
    await first.stop();
    expect(await query(url, 'select count(*)::int as living from daemons')).toEqual([{ living: 1 }]);
    await eventually(async () => {
      const [owned] = await query(url, 'select owner = (select id from daemons) as is_taken from approvals');
      expect(owned?.is_taken).toBe(true);
    });
    expect((await approvalsOf(second).approve(ticket)).body.result?.ok).toBe(true);
  });
});
