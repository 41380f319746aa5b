// Cancels around an approval: what was sent is never denied, and what was cancelled never begins.
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import {
  type CallInput,
  caller,
  connectPlane,
  correlation,
  hang,
  startPlane,
  stopped,
  tool,
} from '../testing/start-plane.js';

const s: MemoryServer = { definitions: { tools: [tool('gated'), tool('slow')] }, handle: hang };
const file = { policy: { requireApproval: ['s.gated'] } };
const gated: CallInput = { kind: 'tool', id: 's.gated', correlation: { ...correlation, requestId: 'r' } };
const first = 'appr-0-1';
const unsent = { classification: 'safe', upstream_execution_state: 'not_started' };

describe('a cancel', () => {
  it('while the approved call runs says that the outcome is unknown, to the waiter and on the ticket', async () => {
    const { outcome, plane, clock, server } = await connectPlane({ s }, file);
    const waiting = outcome({ ...gated, approvalWaitMs: 50_000 });
    await clock.advance(0);
    const decision = plane.approvals.approve(first, 'me', null);
    await clock.advance(0);
    expect(server('s').requests()).toHaveLength(1);
    expect(await plane.cancel('local', 'r')).toBe(true);
    const { envelope: received } = await waiting;
    await decision;
    for (const envelope of [received, (await plane.approvals.get(first))?.result]) {
      expect(envelope).toMatchObject({
        error: { code: 'OPERATION_CANCELLED' },
        retry: { classification: 'idempotent', upstream_execution_state: 'unknown' },
      });
    }
  });

  it('before the approved call began keeps it from beginning', async () => {
    const stores = createMemoryStores(stopped);
    await (await connectPlane({ s }, file, stores)).outcome(gated);
    let connect = () => {};
    const connected = new Promise<void>((resolve) => {
      connect = resolve;
    });
    const { plane, clock, server } = startPlane({ s: { ...s, onConnect: () => connected } }, file, stores);
    await clock.advance(0);
    const decision = plane.approvals.approve(first, 'me', null);
    await clock.advance(0);
    expect(await plane.cancel('local', 'r')).toBe(true);
    connect();
    await clock.advance(0);
    expect(await decision).toMatchObject({ result: { error: { code: 'OPERATION_CANCELLED' }, retry: unsent } });
    expect(server('s').requests()).toEqual([]);
  });

  it('while the ticket is being opened closes it', async () => {
    const stores = createMemoryStores(stopped);
    let opened = () => {};
    const opening = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const open: typeof stores.tickets.open = async (draft) => {
      await opening;
      return stores.tickets.open(draft);
    };
    const { outcome, plane, clock } = await connectPlane({ s }, file, {
      ...stores,
      tickets: { ...stores.tickets, open },
    });
    const call = outcome(gated);
    await clock.advance(0);
    expect(await plane.cancel('local', 'r')).toBe(true);
    opened();
    expect((await call).envelope).toMatchObject({ error: { code: 'OPERATION_CANCELLED' }, retry: unsent });
    expect(await plane.approvals.get(first)).toMatchObject({ status: { status: 'rejected', reason: 'cancelled' } });
  });

  it('of a batch opens no ticket afterwards', async () => {
    const { plane, clock } = await connectPlane({ s }, file);
    const step = (id: string, tool: string) => ({ id, capability_id: `s.${tool}`, args: {}, continue_on_error: true });
    const batch = plane.executeBatch({
      steps: [step('a', 'slow'), step('b', 'gated')],
      correlation: { ...correlation, requestId: 'r' },
      caller,
      signal: new AbortController().signal,
      idempotencyKey: null,
    });
    await clock.advance(0);
    await plane.cancel('local', 'r');
    expect((await batch).results.map(({ id }) => id)).toEqual(['a']);
    expect((await plane.approvals.list({ limit: 9, offset: 0 })).total).toBe(0);
  });
});

describe('what is said of an approved call that still runs', () => {
  it('is that it may have been sent', async () => {
    const { outcome, plane, clock } = await connectPlane({ s }, file);
    const waiting = outcome({ ...gated, approvalWaitMs: 5000 });
    await clock.advance(0);
    const decision = plane.approvals.approve(first, 'me', null);
    await clock.advance(5000);
    expect((await waiting).envelope).toMatchObject({
      error: { code: 'APPROVAL_PENDING' },
      retry: { classification: 'idempotent', upstream_execution_state: 'unknown' },
    });
    await plane.cancel('local', 'r');
    await decision;
  });
});

describe('the limit of what may wait', () => {
  it('is one of length as well', async () => {
    const { outcome, clock } = await connectPlane({ s }, file);
    const call: CallInput = { kind: 'tool', id: 's.gated', args: { text: 'x'.repeat(4_000_000) } };
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 16; n += 1) {
      const asked = outcome(call);
      for (let turn = 0; turn < 8; turn += 1) await clock.advance(0); // arguments of that size wait for turns
      codes.push((await asked).envelope.error?.message.slice(0, 70));
    }
    expect(codes.slice(14)).toEqual([
      'the call waits for approval appr-0-15; GET /v1/approvals/appr-0-15 has',
      'principal "local" has all of its share of characters in calls that wai',
    ]);
  });

  it('holds for calls of one moment, and a refused one may be repeated later', async () => {
    const { outcome, plane } = await connectPlane({ s }, file);
    const calls = await Promise.all(Array.from({ length: 1100 }, () => outcome({ kind: 'tool', id: 's.gated' })));
    const refused = calls.filter(({ kind }) => kind === 'answered');
    expect([refused.length, (await plane.approvals.list({ limit: 1, offset: 0 })).total]).toEqual([100, 1000]);
    expect(refused[0]?.envelope.error).toEqual({
      code: 'POLICY_DENIED',
      message:
        'principal "local" has all of its share of calls that wait for approval at server "s": 1000 (limits.approvals: 1000); repeat this one when some of them are decided',
      retryable: false,
    });
  });
});

describe('a rejection', () => {
  it('that is a cancel is not refused later: the repeat opens a new ticket', async () => {
    const { outcome, plane } = await connectPlane({ s }, file);
    await outcome(gated);
    await plane.cancel('local', 'r');
    expect((await outcome(gated)).kind).toBe('pending');
  });

  it('lasts under a key as long as outcomes do', async () => {
    const { outcome, plane, clock } = await connectPlane({ s }, { ...file, idempotency: { ttlSecs: 60 } });
    await outcome(gated);
    await plane.approvals.reject(first, 'me', null);
    await clock.advance(59_000);
    expect((await outcome(gated)).envelope.error?.code).toBe('APPROVAL_REJECTED');
    await clock.advance(1000);
    expect((await outcome(gated)).kind).toBe('pending');
  });
});

describe('what came to be hidden since', () => {
  it('takes stored answers and results out of sight', async () => {
    const stores = createMemoryStores(stopped);
    const answering: MemoryServer = { ...s, handle: () => ({ content: [] }) };
    const before = await connectPlane({ s: answering }, file, stores);
    await before.outcome({ ...gated, idempotencyKey: 'k' });
    await before.plane.approvals.approve(first, 'me', null);
    expect((await before.plane.record(caller, 'k'))?.response).toMatchObject({ ok: true });
    const after = await connectPlane({ s: answering }, { policy: { ...file.policy, deny: ['s.gated'] } }, stores);
    expect((await after.plane.record(caller, 'k'))?.response).toMatchObject({ error: { code: 'POLICY_DENIED' } });
    expect(await after.plane.approvals.get(first)).not.toHaveProperty('result');
  });

  it('is redacted for webhooks by the current rules, in every field', async () => {
    const stores = createMemoryStores(stopped);
    await (await connectPlane({ s }, file, stores)).outcome({ ...gated, args: { pin: '1234', n: 1 } });
    const policy = { ...file.policy, redactKeys: ['pin', 'password'], webhook: { url: 'http://hook.example' } };
    const { plane, notices } = await connectPlane({ s }, { policy }, stores);
    await plane.approvals.reject(first, 'me', 'password=hunter2');
    expect(notices).toMatchObject([
      { approval: { sanitized_args: { n: 1 }, status: { reason: 'password=[REDACTED]' } } },
    ]);
    expect(JSON.stringify(notices)).not.toMatch(/1234|hunter2/);
  });
});
