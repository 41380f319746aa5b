// Idempotency keys on gated calls: one ticket for each key, and the answer of its call from then on.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Approvals, approvalsOf, brief, callGated, contacts, type GatedEnvelope } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { hold } from './support/hold.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

let daemon: Daemon;
let upstream: Scripted;
let approvals: Approvals;

beforeAll(async () => {
  upstream = scripted({ tools: [tool('echo'), tool('other'), tool('slow')] });
  const mcpServers = { s: upstream.server };
  daemon = await startDaemon({
    mcpServers,
    capabilityAliases: { say: 's.echo' },
    policy: { requireApproval: ['s.*'] },
  });
  await daemon.connected();
  approvals = approvalsOf(daemon);
});

const keyed = (key: string, args: object = {}, id = 's.echo') =>
  callGated(daemon, id, args, { headers: { 'idempotency-key': key } });

const waiting = (key: string, args: object, id = 's.echo') =>
  hold<GatedEnvelope>(
    daemon,
    '/v1/tools/call',
    { capability_id: id, args },
    { 'idempotency-key': key, prefer: 'wait=600' },
  ).reply;

const total = async () => (await approvals.list()).body.total;

const contactsFrom = (count: number) => contacts(upstream).slice(count);

describe('a gated call with an idempotency key', () => {
  it('that is repeated joins the ticket of the first, however its key is given [approval-gate-no-contact] [error-approval-pending]', async () => {
    const before = await total();
    const first = await keyed('joins', { n: 1, m: { a: 1, b: 2 } });
    const id = first.body.error.approval_id;
    const repeats = [
      await keyed('joins', { m: { b: 2, a: 1 }, n: 1 }),
      await keyed('joins', { n: 1, m: { a: 1, b: 2 } }, 'say'),
      await callGated(daemon, 's.echo', { n: 1, m: { a: 1, b: 2 } }, { idempotency_key: 'joins' }),
    ];
    for (const { status, headers, body } of repeats) {
      expect([status, body.error.approval_id, headers.location]).toEqual([202, id, `/v1/approvals/${id}`]);
    }
    expect(await total()).toBe(before + 1);
  });

  it('opens one ticket though 20 of them come at once, and runs once for all that wait [approval-approve-route] [approval-gate-no-contact]', async () => {
    const [tickets, calls] = [await total(), contacts(upstream).length];
    const answers = await Promise.all(Array.from({ length: 20 }, () => keyed('crowd', { n: 20 })));
    const ids = new Set(answers.map(({ body }) => body.error.approval_id));
    expect([ids.size, await total()]).toEqual([1, tickets + 1]);
    const replies = Array.from({ length: 5 }, () => waiting('crowd', { n: 20 }));
    const [id = ''] = ids;
    const { body } = await approvals.approve(id);
    for (const reply of await Promise.all(replies)) {
      expect([reply.status, reply.body.data]).toEqual([200, body.result?.data]);
    }
    expect(contactsFrom(calls)).toEqual([{ n: 20 }]);
  });

  it('is 400 for another request, while the first waits and after it ran [approval-gate-no-contact]', async () => {
    const calls = contacts(upstream).length;
    const id = (await keyed('taken', { n: 1 })).body.error.approval_id;
    const others = async () => [await keyed('taken', { n: 2 }), await keyed('taken', { n: 1 }, 's.other')];
    for (const answer of await others()) expect(brief(answer)).toEqual([400, 'INVALID_ARGS']);
    expect((await approvals.get(id)).status.status).toBe('pending');
    await approvals.approve(id);
    for (const answer of await others()) expect(brief(answer)).toEqual([400, 'INVALID_ARGS']);
    expect(contactsFrom(calls)).toEqual([{ n: 1 }]);
  });

  it('replays the answer once it ran, without asking again [approval-approve-route]', async () => {
    const calls = contacts(upstream).length;
    const id = (await keyed('replays', { n: 1 })).body.error.approval_id;
    const { body } = await approvals.approve(id);
    const tickets = await total();
    for (const replay of [await keyed('replays', { n: 1 }), await waiting('replays', { n: 1 })]) {
      expect([replay.status, replay.headers['x-service-deduplicated'], replay.body.data]).toEqual([
        200,
        'true',
        body.result?.data,
      ]);
    }
    expect([await total(), contactsFrom(calls)]).toEqual([tickets, [{ n: 1 }]]);
  });

  it('replays the answer of modified arguments to what was asked for, not to what ran [approval-modified-args]', async () => {
    const calls = contacts(upstream).length;
    const id = (await keyed('modified', { n: 1 })).body.error.approval_id;
    await approvals.approve(id, { operator: 'ada', modified_args: { n: 2 } });
    const replay = await keyed('modified', { n: 1 });
    expect([replay.status, replay.body.data.structuredContent]).toEqual([
      200,
      expect.objectContaining({ arguments: { n: 2 } }),
    ]);
    expect(brief(await keyed('modified', { n: 2 }))).toEqual([400, 'INVALID_ARGS']);
    expect(contactsFrom(calls)).toEqual([{ n: 2 }]);
  });

  it('stays rejected, waiting or not, and opens no other ticket [approval-rejected-ends-call] [error-approval-rejected]', async () => {
    const calls = contacts(upstream).length;
    const id = (await keyed('refused')).body.error.approval_id;
    await approvals.reject(id, { operator: 'ada', reason: 'no' });
    const tickets = await total();
    for (const answer of [await keyed('refused'), await waiting('refused', {})]) {
      expect([...brief(answer), answer.body.error.approval_id]).toEqual([403, 'APPROVAL_REJECTED', id]);
    }
    expect(brief(await keyed('refused', { other: 1 }))).toEqual([400, 'INVALID_ARGS']);
    expect([await total(), contactsFrom(calls)]).toEqual([tickets, []]);
    expect((await keyed('another')).status).toBe(202);
  });

  it('that repeats while the approved call runs gets its result [approval-approve-route]', async () => {
    const calls = contacts(upstream).length;
    const args = { ms: 700 };
    const id = (await keyed('running', args, 's.slow')).body.error.approval_id;
    const decision = approvals.approve(id);
    await eventually(() => expect(contactsFrom(calls)).toHaveLength(1));
    const repeat = await waiting('running', args, 's.slow');
    expect([repeat.status, repeat.body.data]).toEqual([200, (await decision).body.result?.data]);
    expect(contactsFrom(calls)).toEqual([args]);
  });

  it('by its request id alone joins its ticket too; other arguments are another call [approval-gate-no-contact]', async () => {
    const [one, again, other] = [
      await callGated(daemon, 's.echo', { n: 1 }, { request_id: 'derived' }),
      await callGated(daemon, 's.echo', { n: 1 }, { headers: { 'x-request-id': 'derived' } }),
      await callGated(daemon, 's.echo', { n: 2 }, { request_id: 'derived' }),
    ].map(({ body }) => body.error.approval_id);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });
});

it('a key whose ticket expired may ask again [approval-expiry] [error-retryable-approval-timeout]', async () => {
  const own = scripted({ tools: [tool('echo')] });
  const policy = { requireApproval: ['*'], approvalTimeoutSecs: 1 };
  const short = await startDaemon({ mcpServers: { s: own.server }, policy });
  await short.connected();
  const call = () => callGated(short, 's.echo', {}, { headers: { 'idempotency-key': 'again' } });
  const first = (await call()).body.error.approval_id;
  await approvalsOf(short).reaches(first, 'expired');
  await short.post('/v1/config/policy', { approval_timeout_secs: 300 }); // the next one is there to be approved
  const second = await call();
  expect(second.status).toBe(202);
  expect(second.body.error.approval_id).not.toBe(first);
  expect((await approvalsOf(short).approve(second.body.error.approval_id)).body.result?.ok).toBe(true);
  expect(contacts(own)).toHaveLength(1);
});
