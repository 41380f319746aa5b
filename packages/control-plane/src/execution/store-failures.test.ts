// The answers to callers when the store fails in the middle: never "nothing was sent" after a send, never a second run.
import type { Envelope } from '@portico/contracts';
import type { Ledger } from '@portico/idempotency';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { TicketStore } from '../approvals/ticket-store.js';
import type { Outcome } from '../call/call.js';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, caller, connectPlane, stopped, tool, traceId } from '../testing/start-plane.js';

const s: MemoryServer = { definitions: { tools: [tool('echo'), tool('gated')] } };
const file = { policy: { requireApproval: ['s.gated'] } };
const keyed: CallInput = { kind: 'tool', id: 's.echo', idempotencyKey: 'k' };
const broken = () => Promise.reject(new Error('disk full'));
const unknown = { classification: 'idempotent', upstream_execution_state: 'unknown' };
const unsent = { classification: 'safe', upstream_execution_state: 'not_started' };

/** A replay gives the stored answer, and its data as the text that is stored. */
const replayOf = ({ envelope }: Outcome) => ({ kind: 'replayed', envelope, dataText: textOf(envelope) });
const textOf = ({ ok, data }: Envelope) => (ok ? JSON.stringify(data) : undefined);

function start(ledger: Partial<Ledger> = {}, tickets: Partial<TicketStore> = {}, stores = createMemoryStores(stopped)) {
  const failing = {
    ...stores,
    ledger: { ...stores.ledger, ...ledger },
    tickets: { ...stores.tickets, ...tickets },
  };
  return connectPlane({ s }, file, failing);
}

describe('a store that fails', () => {
  it('before the contact sends nothing, and the call may be repeated', async () => {
    const { execute, server } = await start({ begin: broken });
    expect(await execute(keyed)).toMatchObject({
      error: {
        code: 'INTERNAL_ERROR',
        message: 'nothing was sent: the state store cannot be written (disk full)',
        retryable: true,
      },
      retry: unsent,
    });
    expect(server('s').requests()).toEqual([]);
  });

  it('after the contact reports an unknown outcome, to joined callers as well, and nothing runs again', async () => {
    const { execute, server } = await start({ complete: broken });
    const both = await Promise.all([execute(keyed), execute(keyed)]);
    for (const envelope of [...both, await execute(keyed)]) {
      expect(envelope).toMatchObject({ error: { code: 'INTERNAL_ERROR', retryable: false }, retry: unknown });
      expect(envelope.error?.message).toContain('the outcome of this call was not recorded');
    }
    expect(server('s').requests()).toHaveLength(1);
  });

  it('after the contact and after the deadline says the same', async () => {
    let wait = async () => {};
    const complete = async () => {
      await wait();
      throw new Error('disk full');
    };
    const { execute, clock } = await start({ complete });
    wait = () => clock.advance(60_000);
    const envelope = await execute(keyed);
    expect(envelope).toMatchObject({ error: { code: 'INTERNAL_ERROR', retryable: false }, retry: unknown });
    expect(envelope.error?.message).toContain('the outcome of this call was not recorded');
  });

  it('when a replay is counted still gives the stored answer', async () => {
    const { outcome, log } = await start({ countReplay: broken });
    const first = await outcome(keyed);
    expect(await outcome(keyed)).toEqual(replayOf(first));
    expect(log.at(-1)).toMatchObject({
      level: 'error',
      message: 'a replay could not be counted',
      fields: { first_trace_id: traceId },
    });
  });

  it('before a ticket is open sends nothing, and says so', async () => {
    const { execute } = await start({}, { open: broken });
    expect(await execute({ ...keyed, id: 's.gated' })).toMatchObject({
      error: { message: 'nothing was sent: the state store cannot be written (disk full)' },
      retry: unsent,
    });
  });

  it('after an approved call has run keeps trying to keep its result', async () => {
    const stores = createMemoryStores(stopped);
    let isBroken = true;
    const finishRun: TicketStore['finishRun'] = (...args) => (isBroken ? broken() : stores.tickets.finishRun(...args));
    const { outcome, plane, clock } = await start({}, { finishRun }, stores);
    await outcome({ kind: 'tool', id: 's.gated' });
    const decision = plane.approvals.approve('appr-0-1', 'me', null);
    await clock.advance(5000);
    isBroken = false;
    await clock.advance(1000);
    expect(await decision).toMatchObject({ result: { ok: true } });
  });

  it('before an approved call begins sends nothing, and leaves its key free', async () => {
    const { outcome, plane, server } = await start({}, { startRun: broken });
    await outcome({ ...keyed, id: 's.gated' });
    expect(await plane.approvals.approve('appr-0-1', 'me', null)).toMatchObject({
      result: { error: { message: 'nothing was sent: the state store cannot be written (disk full)' }, retry: unsent },
    });
    expect(await plane.record(caller, 'k')).toBeUndefined();
    expect(server('s').requests()).toEqual([]);
  });

  it('for one ticket at a start leaves the others watched', async () => {
    const stores = createMemoryStores(stopped);
    const before = await start({}, {}, stores);
    for (let n = 0; n < 2; n += 1) await before.outcome({ kind: 'tool', id: 's.gated' });
    await stores.tickets.settle('appr-0-1', { status: 'approved', operator: 'me', timestamp: 0 });
    await stores.tickets.startRun('appr-0-1');
    const { clock, plane } = await start({}, { finishRun: broken }, stores);
    await clock.advance(300_000);
    expect(await plane.approvals.get('appr-0-2')).toMatchObject({ status: { status: 'expired' } });
  });
});

describe('a store that is slow', () => {
  it('gives the outcome to a joined caller, though its time is over before it is written', async () => {
    const stores = createMemoryStores(stopped);
    let write = () => {};
    const complete: Ledger['complete'] = (...args) =>
      new Promise((resolve) => {
        write = () => resolve(stores.ledger.complete(...args));
      });
    const { outcome, clock } = await start({ complete }, {}, stores);
    const both = Promise.all([outcome(keyed), outcome(keyed)]);
    await clock.advance(15_000); // toolTimeoutMs
    write();
    const [first, joined] = await both;
    expect(first).toMatchObject({ kind: 'answered', envelope: { ok: true } });
    expect(joined).toEqual(replayOf(first));
  });
});

describe('a defect under a key', () => {
  it('is an outcome like any: stored, returned to repeats unchanged, and not run again', async () => {
    const failing: MemoryServer = {
      ...s,
      handle: () => {
        throw new TypeError('defect');
      },
    };
    const { outcome, server, log } = await connectPlane({ s: failing });
    const first = await outcome(keyed);
    expect(first.envelope).toMatchObject({ error: { code: 'INTERNAL_ERROR', retryable: false }, retry: unknown });
    expect(await outcome(keyed)).toEqual(replayOf(first));
    expect([server('s').requests().length, log.filter(({ level }) => level === 'error').length]).toEqual([1, 1]);
  });
});

describe('a result that is no answer yet', () => {
  it.each([
    ['a task is kept: the call has begun', 'task', 1, 'replayed'],
    ['a question to the caller is not: the repeat goes on from there', 'input_required', 2, 'answered'],
  ])('%s', async (_what, resultType, contacts, kind) => {
    const { outcome, server } = await connectPlane({ s: { ...s, handle: () => ({ resultType }) } });
    expect((await outcome(keyed)).kind).toBe('answered');
    expect((await outcome(keyed)).kind).toBe(kind);
    expect(server('s').requests()).toHaveLength(contacts);
  });
});
