// Approvals in the plane: the calls that wait, the approvers, and that a ticket's call runs once, for any sequence of
// events.
import { type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import {
  type CallInput,
  connectPlane,
  correlation,
  startPlane,
  stopped,
  tool,
  traceId,
} from '../testing/start-plane.js';

const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: { type: 'string' } };
const s: MemoryServer = {
  definitions: {
    tools: [tool('gated', { inputSchema }), tool('free')],
    resources: [{ uri: 'x:gated', name: 'gated' }],
    prompts: [{ name: 'gated' }],
  },
  handle: ({ params }) => ({ content: [], structuredContent: params }),
};
const policy = { requireApproval: ['s.gated', 's.x:gated'], approvalTimeoutSecs: 60 };
const gated: CallInput = { kind: 'tool', id: 's.gated', args: { n: 1, token: 't' } };
const first = 'appr-0-1';

const start = (file: object = {}, stores = createMemoryStores(stopped)) =>
  connectPlane({ s }, { policy, ...file }, stores);
const contacts = ({ server }: Pick<Awaited<ReturnType<typeof start>>, 'server'>) =>
  server('s')
    .requests()
    .map(({ params }) => params.arguments);

/** Every key, the redacted one too. */
const viewOfGated = {
  arguments: {
    entries: [
      { depth: 0, key: 'n', value: '1', redacted: false },
      { depth: 0, key: 'token', value: '[REDACTED]', redacted: true },
    ],
    omitted: 0,
    complete: true,
  },
  definition_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  description: null,
  reasked: false,
  changes: [],
  changes_complete: true,
};

describe('a gated call', () => {
  it('opens a ticket with what was asked, and what may be shown of it', async () => {
    const started = await start();
    const outcome = await started.outcome({ ...gated, correlation: { requestId: 'r', traceId } });
    expect(outcome).toMatchObject({
      kind: 'pending',
      approvalId: first,
      envelope: { error: { code: 'APPROVAL_PENDING', approval_id: first, retryable: false } },
    });
    expect(await started.plane.approvals.get(first)).toEqual({
      id: first,
      kind: 'tool',
      capability_id: 's.gated',
      server_id: 's',
      args: { n: 1, token: 't' },
      sanitized_args: { n: 1 },
      status: { status: 'pending' },
      created_at: 0,
      expires_at: 60,
      request_id: 'r',
      rule: 'require_approval:s.gated',
      view: viewOfGated,
    });
    expect(contacts(started)).toEqual([]);
  });

  it.each<CallInput>([
    { kind: 'resource', id: 's.x:gated' },
    { kind: 'prompt', id: 's.gated' },
  ])('may be a $kind', async (input) => {
    const { outcome, plane } = await start();
    expect((await outcome(input)).kind).toBe('pending');
    expect(await plane.approvals.approve(first, 'me', null)).toMatchObject({ kind: 'decided', result: { ok: true } });
  });

  it('that waits gets the result, and its call ran once', async () => {
    const started = await start();
    const waiting = started.outcome({ ...gated, approvalWaitMs: 10_000 });
    await started.clock.advance(1000);
    const decision = await started.plane.approvals.approve(first, 'me', null);
    const { kind, envelope } = await waiting;
    expect([kind, envelope.ok]).toEqual(['answered', true]);
    expect(decision).toMatchObject({ kind: 'decided', result: envelope, approval: { result: envelope } });
    expect(contacts(started)).toEqual([{ n: 1, token: 't' }]);
  });

  it.each([
    ['rejected', 'APPROVAL_REJECTED', false, 'me rejected approval appr-0-1: no'],
    [
      'expired',
      'APPROVAL_TIMEOUT',
      true,
      'no operator decided on approval appr-0-1 within 60 s (approvalTimeoutSecs); repeat the call to ask again',
    ],
  ])('that waits is notified when its ticket is %s', async (status, code, retryable, message) => {
    const { outcome, plane, clock } = await start();
    const waiting = outcome({ ...gated, approvalWaitMs: 100_000 });
    await clock.advance(0);
    if (status === 'rejected') await plane.approvals.reject(first, 'me', 'no');
    else await clock.advance(60_000);
    expect((await waiting).envelope).toMatchObject({
      error: { code, retryable, message, approval_id: first },
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
    });
    expect(await plane.approvals.get(first)).toMatchObject({ status: { status } });
  });

  it('waits longer than toolTimeoutMs, and no longer than it asked', async () => {
    const { outcome, clock } = await start({ toolTimeoutMs: 100 });
    const waiting = outcome({ ...gated, approvalWaitMs: 5000 });
    await clock.advance(5000);
    expect([(await waiting).kind, clock.now()]).toEqual(['pending', 5000]);
  });

  it('leaves its ticket when its caller goes away or the service stops', async () => {
    const { outcome, plane, clock } = await start();
    const caller = new AbortController();
    const both = [
      outcome({ ...gated, approvalWaitMs: 50_000, signal: caller.signal }),
      outcome({ ...gated, approvalWaitMs: 50_000 }),
    ];
    await clock.advance(0);
    caller.abort();
    const closing = plane.close(5000);
    expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['pending', 'pending']);
    await closing;
    expect(clock.now()).toBe(0); // the close did not wait for the grace period
    expect((await plane.approvals.list({ status: 'pending', limit: 9, offset: 0 })).total).toBe(2);
  });

  it('that is cancelled closes its ticket, waiting or not', async () => {
    const { outcome, plane, clock } = await start();
    const named = (requestId: string) => ({ ...gated, correlation: { ...correlation, requestId } });
    const waiting = outcome({ ...named('a'), approvalWaitMs: 50_000 });
    await outcome(named('b'));
    await clock.advance(0);
    expect(await plane.cancel('stranger', 'a')).toBe(false);
    expect([await plane.cancel('local', 'a'), await plane.cancel('local', 'b')]).toEqual([true, true]);
    expect((await waiting).envelope.error?.code).toBe('OPERATION_CANCELLED');
    const { approvals } = await plane.approvals.list({ limit: 9, offset: 0 });
    expect(approvals.map(({ status }) => status)).toEqual(
      Array(2).fill({ status: 'rejected', operator: 'local', timestamp: 0, reason: 'cancelled' }),
    );
  });
});

describe('a key', () => {
  const keyed: CallInput = { ...gated, idempotencyKey: 'k' };

  it('joins the ticket it has, and then its result', async () => {
    const started = await start();
    const { outcome, plane, clock } = started;
    const waiting = Array.from({ length: 20 }, () => outcome({ ...keyed, approvalWaitMs: 50_000 }));
    await clock.advance(0);
    await plane.approvals.approve(first, 'me', null);
    const envelopes = (await Promise.all(waiting)).map(({ envelope }) => envelope);
    expect(new Set(envelopes.map((envelope) => JSON.stringify(envelope))).size).toBe(1);
    expect(envelopes[0]).toMatchObject({ ok: true, retry: { classification: 'idempotent' } });
    expect((await outcome(keyed)).kind).toBe('replayed');
    expect([contacts(started).length, (await plane.approvals.list({ limit: 9, offset: 0 })).total]).toEqual([1, 1]);
  });

  it('of one that joined and is cancelled leaves the ticket to the other', async () => {
    const { outcome, plane, clock } = await start();
    const wait = (requestId: string) =>
      outcome({ ...keyed, correlation: { requestId, traceId }, approvalWaitMs: 50_000 });
    const opener = wait('a');
    await clock.advance(0);
    const joiner = wait('b');
    await clock.advance(0);
    expect(await plane.cancel('local', 'b')).toBe(true);
    expect((await joiner).envelope.error?.code).toBe('OPERATION_CANCELLED');
    await plane.approvals.approve(first, 'me', null);
    expect((await opener).envelope.ok).toBe(true);
  });

  it('is refused for other arguments while its ticket waits', async () => {
    const { outcome } = await start();
    await outcome(keyed);
    expect((await outcome({ ...keyed, args: {} })).envelope.error).toMatchObject({
      code: 'INVALID_ARGS',
      message: 'idempotency key "k" belongs to the approval of another request; use a new key',
    });
  });

  it('is refused for another tool while its ticket waits, gated or not', async () => {
    const started = await start();
    await started.outcome(keyed);
    expect((await started.outcome({ kind: 'tool', id: 's.free', idempotencyKey: 'k' })).envelope.error).toMatchObject({
      code: 'INVALID_ARGS',
      message: 'idempotency key "k" belongs to the approval of another request; use a new key',
    });
    expect(await started.plane.approvals.approve(first, 'me', null)).toMatchObject({ result: { ok: true } });
  });

  it('stays rejected, and may ask again after a ticket that expired', async () => {
    const { outcome, plane, clock } = await start();
    await outcome(keyed);
    await clock.advance(60_000);
    expect((await outcome(keyed)).kind).toBe('pending');
    await plane.approvals.reject('appr-60-2', 'me', null);
    expect((await outcome(keyed)).envelope.error?.code).toBe('APPROVAL_REJECTED');
    expect((await plane.approvals.list({ limit: 9, offset: 0 })).total).toBe(2);
  });
});

describe('a decision', () => {
  it('is made once: of many at a time one wins', async () => {
    const started = await start();
    await started.outcome(gated);
    const { approve, reject } = started.plane.approvals;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 2 === 0 ? approve(first, `a${n}`, null) : reject(first, `r${n}`, null),
      ),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(['decided', ...Array(19).fill('not_pending')]);
    expect(contacts(started).length).toBeLessThanOrEqual(1);
    expect(started.audit.kept().filter(({ event_type }) => /approved|rejected/.test(event_type))).toHaveLength(1);
  });

  it('of an approver may change the arguments, which are checked like any', async () => {
    const started = await start();
    await started.outcome(gated);
    const { approve, get } = started.plane.approvals;
    await expect(approve(first, 'me', { n: 'x' })).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      message: 'modified_args: args.n: must be number',
    });
    expect(await get(first)).toMatchObject({ status: { status: 'pending' } });
    await approve(first, 'me', { n: 2 });
    expect(contacts(started)).toEqual([{ n: 2 }]);
    expect(await get(first)).toMatchObject({ args: { n: 1 }, status: { operator: 'me', modified_args: { n: 2 } } });
  });

  it('about a ticket that is not there is unknown', async () => {
    const { plane } = await start();
    expect(await plane.approvals.approve('appr-0-9', 'me', null)).toEqual({ kind: 'unknown' });
    expect(await plane.approvals.get('appr-0-9')).toBeUndefined();
  });

  it('answers with the failure where the call runs into toolTimeoutMs', async () => {
    const slow: MemoryServer = { ...s, handle: () => new Promise(() => {}) };
    const { plane, outcome, clock } = await connectPlane({ s: slow }, { policy, toolTimeoutMs: 1000 });
    await outcome(gated);
    const decision = plane.approvals.approve(first, 'me', null);
    await clock.advance(1000);
    expect(await decision).toMatchObject({ kind: 'decided', result: { error: { code: 'UPSTREAM_TIMEOUT' } } });
    expect(await plane.approvals.get(first)).toMatchObject({ result: { error: { code: 'UPSTREAM_TIMEOUT' } } });
  });
});

describe('after a restart', () => {
  it('a pending ticket can be decided, and expires at its time', async () => {
    const stores = createMemoryStores(stopped);
    await (await start({}, stores)).outcome(gated);
    await (await start({}, stores)).outcome(gated);
    const started = await start({}, stores);
    expect(await started.plane.approvals.approve(first, 'me', null)).toMatchObject({ result: { ok: true } });
    await started.clock.advance(60_000);
    expect(await started.plane.approvals.get('appr-0-2')).toMatchObject({
      status: { status: 'expired', timestamp: 60 },
    });
  });

  it('an approved call runs that had not begun, and one that had begun does not', async () => {
    const stores = createMemoryStores(stopped);
    const before = await start({}, stores);
    await before.outcome(gated);
    await before.outcome(gated);
    for (const id of [first, 'appr-0-2']) {
      await stores.tickets.settle(id, { status: 'approved', operator: 'me', timestamp: 0 });
    }
    await stores.tickets.startRun('appr-0-2'); // the service ended here
    const started = await start({}, stores);
    expect(contacts(started)).toEqual([{ n: 1, token: 't' }]);
    const { get } = started.plane.approvals;
    expect([await get(first), await get('appr-0-2')]).toMatchObject([
      { result: { ok: true } },
      {
        result: { error: { code: 'INTERNAL_ERROR', retryable: false }, retry: { upstream_execution_state: 'unknown' } },
      },
    ]);
  });

  it('an approved call waits for a server that is still being connected', async () => {
    const stores = createMemoryStores(stopped);
    await (await start({}, stores)).outcome(gated);
    await stores.tickets.settle(first, { status: 'approved', operator: 'me', timestamp: 0 });
    let connect = () => {};
    const connected = new Promise<void>((resolve) => {
      connect = resolve;
    });
    const started = startPlane({ s: { ...s, onConnect: () => connected } }, { policy }, stores);
    await started.clock.advance(1000);
    expect(await started.plane.approvals.get(first)).not.toHaveProperty('result');
    connect();
    await started.clock.advance(0);
    expect(await started.plane.approvals.get(first)).toMatchObject({ result: { ok: true } });
  });

  it('a call that was approved while the service stopped is run by the next one', async () => {
    const stores = createMemoryStores(stopped);
    await (await start({}, stores)).outcome(gated);
    const never = new Promise<void>(() => {});
    const stopping = startPlane({ s: { ...s, onConnect: () => never } }, { policy }, stores);
    await stopping.clock.advance(0);
    const decision = stopping.plane.approvals.approve(first, 'me', null);
    await stopping.clock.advance(0);
    await stopping.plane.close(5000);
    expect(stopping.clock.now()).toBe(0); // the close did not wait for the server
    await stopping.clock.advance(15_000);
    expect(await decision).toMatchObject({ kind: 'decided', result: null });
    const started = await start({}, stores);
    expect(contacts(started)).toHaveLength(1);
  });

  it('a rule that denies what was approved wins', async () => {
    const stores = createMemoryStores(stopped);
    await (await start({}, stores)).outcome(gated);
    const started = await start({ policy: { ...policy, deny: ['s.gated'] } }, stores);
    expect(await started.plane.approvals.approve(first, 'me', null)).toMatchObject({
      result: { error: { code: 'POLICY_DENIED' } },
    });
    expect(contacts(started)).toEqual([]);
  });

  it('the outcome of a call that could not be sent is the result, and is not tried again', async () => {
    const stores = createMemoryStores(stopped);
    await (await start({}, stores)).outcome(gated);
    const away: MemoryServer = {
      ...s,
      onConnect: () => {
        throw new UpstreamFailure('away', { kind: 'unreachable', sent: false });
      },
    };
    const { plane } = await connectPlane({ s: away }, { policy }, stores);
    expect(await plane.approvals.approve(first, 'me', null)).toMatchObject({
      result: { error: { code: 'SERVER_UNREACHABLE' } },
    });
    const later = await start({}, stores);
    expect(contacts(later)).toEqual([]);
  });
});

describe('a webhook', () => {
  it('receives every step, and never redacted arguments', async () => {
    const webhook = { url: 'http://hook.example' };
    const { outcome, plane, notices, clock } = await start({ policy: { ...policy, webhook } });
    for (let n = 0; n < 3; n += 1) await outcome(gated);
    await plane.approvals.approve(first, 'me', { token: 'secret' });
    await plane.approvals.reject('appr-0-2', 'me', 'no');
    await clock.advance(60_000);
    expect(notices.map(({ event, approval }) => `${event} ${approval.id}`)).toEqual([
      'approval.created appr-0-1',
      'approval.created appr-0-2',
      'approval.created appr-0-3',
      'approval.approved appr-0-1',
      'approval.rejected appr-0-2',
      'approval.expired appr-0-3',
    ]);
    expect(notices[3]).toEqual({
      event: 'approval.approved',
      timestamp: 0,
      trace_id: traceId,
      approval: {
        id: first,
        kind: 'tool',
        capability_id: 's.gated',
        server_id: 's',
        sanitized_args: { n: 1 },
        status: { status: 'approved', operator: 'me', timestamp: 0, modified_args: {} },
        created_at: 0,
        expires_at: 60,
        request_id: null,
        rule: 'require_approval:s.gated',
        view: viewOfGated,
      },
    });
  });
});
