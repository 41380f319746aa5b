// Callers that wait for a decision: the ends of their wait, and the fate of a call when its caller does not wait.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, brief, callGated, contacts, type GatedEnvelope, openTicket } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, type DaemonOptions, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { type Held, hold } from './support/hold.js';
import { startReceiver } from './support/receiver.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

async function start(config: object = {}, policy: object = {}, options: DaemonOptions = {}) {
  const upstream = scripted({
    tools: [tool('echo'), tool('slow')],
    resources: [{ uri: 'book://one', name: 'one' }],
    prompts: [{ name: 'greet' }],
  });
  const daemon = await startDaemon(
    { mcpServers: { s: upstream.server }, policy: { requireApproval: ['*'], ...policy }, ...config },
    options,
  );
  await daemon.connected();
  const approvals = approvalsOf(daemon);
  const pending = () =>
    eventually(async () => {
      const [ticket, ...others] = (await approvals.list('?status=pending')).body.approvals;
      if (ticket === undefined || others.length > 0) throw new Error('not one pending ticket');
      return ticket.id;
    });
  return { upstream, daemon, approvals, pending };
}

type Started = Awaited<ReturnType<typeof start>>;

const wait = (seconds: number | string) => ({ prefer: `wait=${seconds}` });

const held = (daemon: Daemon, args: object, headers: Readonly<Record<string, string>>, rest: object = {}) =>
  hold<GatedEnvelope>(daemon, '/v1/tools/call', { capability_id: 's.echo', args, ...rest }, headers);

describe('a call that waits', () => {
  let shared: Started;

  beforeAll(async () => {
    shared = await start();
  });

  it('ends with the result when it is approved [approval-approve-route] [approval-gate-no-contact]', async () => {
    const { daemon, upstream, approvals, pending } = await start();
    const { reply } = held(daemon, { n: 1 }, wait(600), { request_id: 'waits' });
    const id = await pending();
    expect(contacts(upstream)).toEqual([]);
    const approved = await approvals.approve(id);
    const { status, body } = await reply;
    expect([status, body]).toEqual([200, approved.body.result]);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
  });

  it('ends with 403 when it is rejected [approval-rejected-ends-call] [error-approval-rejected] [error-retryable-false-approvals] [error-approval-lookup]', async () => {
    const { daemon, upstream, approvals, pending } = await start();
    const { reply } = held(daemon, {}, wait(600), { request_id: 'waits' });
    const id = await pending();
    await approvals.reject(id, { operator: 'ada', reason: 'too risky' });
    const { status, body } = await reply;
    expect([status, body]).toEqual([
      403,
      {
        ok: false,
        request_id: 'waits',
        trace_id: expect.any(String),
        retry: { classification: 'safe', upstream_execution_state: 'not_started' },
        data: null,
        error: {
          code: 'APPROVAL_REJECTED',
          message: expect.stringContaining('too risky'),
          retryable: false,
          approval_id: id,
        },
      },
    ]);
    expect(contacts(upstream)).toEqual([]);
  });

  it('ends with 408 without a decision in time; later decisions are refused [approval-expiry] [approval-expiry-ends-call] [error-approval-timeout] [error-retryable-approval-timeout] [approval-decided-409] [error-approval-lookup]', async () => {
    const { daemon, upstream, approvals } = await start({}, { approvalTimeoutSecs: 1 });
    const { status, body } = await held(daemon, {}, wait(600)).reply;
    const { code, retryable, approval_id } = body.error;
    expect([status, code, retryable]).toEqual([408, 'APPROVAL_TIMEOUT', true]);
    expect(body.retry).toEqual({ classification: 'safe', upstream_execution_state: 'not_started' });
    const ticket = await approvals.get(approval_id);
    expect(ticket.status.status).toBe('expired');
    expect(ticket.expires_at - ticket.created_at).toBe(1);
    for (const answer of [await approvals.approve(approval_id), await approvals.reject(approval_id)]) {
      expect(brief(answer)).toEqual([409, 'INVALID_ARGS']);
    }
    expect(await approvals.get(approval_id)).toEqual(ticket);
    expect(contacts(upstream)).toEqual([]);
  });

  it('ends with 202 when its wait is over, and can still be approved [call-gated-202] [approval-approve-route]', async () => {
    const { daemon, upstream, approvals } = await start();
    const { status, headers, body } = await held(daemon, { n: 1 }, wait(1)).reply;
    expect([status, body.error.code]).toEqual([202, 'APPROVAL_PENDING']);
    expect(headers.location).toBe(`/v1/approvals/${body.error.approval_id}`);
    expect((await approvals.approve(body.error.approval_id)).body.result?.ok).toBe(true);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
  });

  it.each(['wait=0', 'wait=abc', 'wait=-5', 'wait', 'return=minimal', ''])(
    'does not wait for a preference that asks for none: %j [call-gated-202]',
    async (prefer) => {
      expect((await held(shared.daemon, {}, { prefer }).reply).status).toBe(202);
    },
  );

  it('takes its preference beside others [approval-rejected-ends-call]', async () => {
    const { daemon, approvals, pending } = await start();
    const { reply } = held(daemon, {}, { prefer: 'return=minimal, Wait=600; foo' });
    await approvals.reject(await pending());
    expect((await reply).status).toBe(403);
  });

  it('does not use up toolTimeoutMs while it waits [approval-approve-route]', async () => {
    const { daemon, approvals, pending } = await start({ toolTimeoutMs: 3000 }); // enough for the call itself
    const { reply } = held(daemon, {}, wait(600));
    const id = await pending();
    await sleep(3200); // what the test is about
    await approvals.approve(id);
    expect((await reply).status).toBe(200);
  });
});

it('is either approved and run, or expired, however close the two come [approval-expiry] [approval-decided-409] [approval-expiry-ends-call]', async () => {
  const { daemon, upstream, approvals } = await start({}, { approvalTimeoutSecs: 1 });
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const id = await openTicket(daemon, 's.echo', { n }, { headers: { 'idempotency-key': `k${n}` } });
      const waiting = held(daemon, { n }, { ...wait(600), 'idempotency-key': `k${n}` });
      await sleep(880 + 10 * n); // what the test is about: around the end of its second
      const decision = await approvals.approve(id);
      const { status } = (await approvals.reaches(id, decision.status === 200 ? 'approved' : 'expired')).status;
      return [status, decision.status, (await waiting.reply).status];
    }),
  );
  for (const outcome of outcomes) {
    expect([
      ['approved', 200, 200],
      ['expired', 409, 408],
    ]).toContainEqual(outcome);
  }
  const approved = outcomes.flatMap(([status], n) => (status === 'approved' ? [{ n }] : []));
  expect(contacts(upstream)).toHaveLength(approved.length);
  expect(contacts(upstream)).toEqual(expect.arrayContaining(approved));
});

it('expires 300 s after its creation without a setting, with or without a waiting caller [approval-default-timeout] [approval-expiry]', async () => {
  const stateDir = tempFolder();
  const { daemon, approvals } = await start({}, {}, { stateDir });
  const id = await openTicket(daemon, 's.echo');
  const { created_at, expires_at } = await approvals.get(id);
  expect(expires_at - created_at).toBe(300);
  await daemon.stop();
  const receiver = await startReceiver();
  const config = { mcpServers: {}, policy: { webhook: { url: receiver.url } } };
  // Too fast for a server to start; the first notice has a quarter of a second.
  const fast = await startDaemonProcess(config, { stateDir, clockFactor: 40 });
  await receiver.arrival('approval.expired', id);
  const { status } = await approvalsOf(fast).get(id);
  expect(status.status).toBe('expired');
  expect(status.timestamp ?? expires_at).toBeGreaterThanOrEqual(expires_at);
});

describe('a caller that goes away', () => {
  it.each([
    ['without a key', {}],
    ['with a key', { 'idempotency-key': 'k' }],
  ])('%s leaves its ticket pending: approved, it runs once [approval-approve-route]', async (_, headers) => {
    const { daemon, upstream, approvals, pending } = await start();
    const gone = held(daemon, { n: 1 }, { ...wait(600), ...headers });
    const id = await pending();
    gone.disconnect();
    await expect(gone.reply).rejects.toThrow();
    // By the time other requests are answered, the daemon has seen that the connection is closed.
    for (let count = 0; count < 5; count += 1) expect((await approvals.get(id)).status.status).toBe('pending');
    expect((await approvals.approve(id)).body.result?.ok).toBe(true);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
    expect((await approvals.get(id)).result?.ok).toBe(true);
  });

  it('while the approved call runs does not end that [approval-approve-route]', async () => {
    const { daemon, upstream, approvals, pending } = await start();
    const body = { capability_id: 's.slow', args: { ms: 600 } };
    const gone = hold(daemon, '/v1/tools/call', body, wait(600));
    const id = await pending();
    const operator = hold(daemon, `/v1/approvals/${id}/approve`, { operator: 'ada' });
    await eventually(() => expect(contacts(upstream)).toHaveLength(1));
    gone.disconnect();
    operator.disconnect();
    expect((await approvals.finished(id)).result.ok).toBe(true);
    expect(upstream.received('notifications/cancelled')).toEqual([]);
    expect(contacts(upstream)).toHaveLength(1);
  });
});

describe('cancelling a gated call by its request id', () => {
  let shared: Started; // what is cancelled leaves nothing pending

  beforeAll(async () => {
    shared = await start();
  });

  const requests: readonly (readonly [string, string, object])[] = [
    ['a call', '/v1/tools/call', { capability_id: 's.echo', args: {} }],
    ['a read', '/v1/resources/read', { resource_id: 's.book://one' }],
    ['a prompt', '/v1/prompts/get', { prompt_id: 's.greet' }],
  ];

  it.each(requests)(
    'ends %s that waits with 499, and its ticket is rejected as cancelled [approval-decided-409]',
    async (_, path, body) => {
      const { daemon, upstream, approvals, pending } = shared;
      const waiting: Held<GatedEnvelope> = hold(daemon, path, { ...body, request_id: 'r/1' }, wait(600));
      const id = await pending();
      const cancelled = await daemon.post('/v1/operations/r%2F1/cancel', {});
      expect([cancelled.status, cancelled.body]).toEqual([200, { ok: true, request_id: 'r/1', cancelled: true }]);
      expect(brief(await waiting.reply)).toEqual([499, 'OPERATION_CANCELLED']);
      const { status } = await approvals.reaches(id, 'rejected');
      expect(status.reason).toBe('cancelled');
      expect(brief(await approvals.approve(id))).toEqual([409, 'INVALID_ARGS']);
      expect((await daemon.post<{ cancelled: boolean }>('/v1/operations/r%2F1/cancel', {})).body.cancelled).toBe(false);
      for (const method of ['tools/call', 'resources/read', 'prompts/get'])
        expect(upstream.received(method)).toEqual([]);
    },
  );

  it('reaches the upstream where the approved call runs already [approval-approve-route]', async () => {
    const { daemon, upstream, approvals, pending } = await start();
    const body = { capability_id: 's.slow', args: { ms: 60_000 }, request_id: 'runs' };
    const waiting = hold<GatedEnvelope>(daemon, '/v1/tools/call', body, wait(600));
    const id = await pending();
    const operator = hold<{ result: GatedEnvelope }>(daemon, `/v1/approvals/${id}/approve`, { operator: 'ada' });
    await eventually(() => expect(contacts(upstream)).toHaveLength(1));
    const { body: answer } = await daemon.post<{ cancelled: boolean }>('/v1/operations/runs/cancel', {});
    expect(answer.cancelled).toBe(true);
    expect(brief(await waiting.reply)).toEqual([499, 'OPERATION_CANCELLED']);
    const { result } = (await operator.reply).body;
    expect([result.error.code, result.retry.upstream_execution_state]).toEqual(['OPERATION_CANCELLED', 'unknown']);
    expect(await approvals.get(id)).toMatchObject({ status: { status: 'approved' }, result });
    await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
  });

  it('closes the ticket of a call that was answered 202, and no other ticket [approval-decided-409]', async () => {
    const { daemon, approvals } = await start();
    const own = await openTicket(daemon, 's.echo', {}, { request_id: 'mine' });
    const other = await openTicket(daemon, 's.echo', {}, { request_id: 'theirs' });
    const { body } = await daemon.post<{ cancelled: boolean }>('/v1/operations/mine/cancel', {});
    expect(body.cancelled).toBe(true);
    expect((await approvals.get(own)).status).toMatchObject({ status: 'rejected', reason: 'cancelled' });
    expect((await approvals.get(other)).status.status).toBe('pending');
    expect(brief(await callGated(daemon, 's.echo', {}, { request_id: 'mine' }))).toEqual([202, 'APPROVAL_PENDING']); // it was not rejected: it asks again
  });
});
