// The share of each principal in what is kept: counted on every way a record ends, and given back when it expires.
import { createMemoryLedger, type Ledger } from '@portico/idempotency';
import { describe, expect, it } from 'vitest';
import { createKeptRoom, type KeptRoom } from '../waiting/kept-room.js';
import { countWhatIsKept, createCountedLedger, createCountedTasks } from './counted-stores.js';
import { createMemoryTaskStore } from './task-store.js';

const intent = (key: string, scope = 'ann') => ({
  scope,
  key,
  fingerprint: 'f',
  kind: 'tool' as const,
  capabilityId: 's.t',
  firstTraceId: 't',
  createdAtMs: 0,
  unknownResponse: '{}',
});
const outcome = (length: number, expiresAtMs = 3_600_000) => ({
  response: 'x'.repeat(length),
  completedAtMs: 0,
  expiresAtMs,
});

function start(limit = 10_000, memory: Ledger = createMemoryLedger()) {
  let nowMs = 0;
  const room = createKeptRoom({ epochMs: () => nowMs }, () => limit);
  return { room, memory, ledger: createCountedLedger(memory, room), pass: (ms: number) => (nowMs += ms) };
}

/** How many records there is room for, which leaves the room as it is. */
function left(room: KeptRoom, principal = 'ann'): number {
  const taken: (() => void)[] = [];
  try {
    for (;;) taken.push(room.take(principal));
  } catch {
    for (const release of taken) release();
  }
  return taken.length;
}

describe('the room of stored answers', () => {
  it('is used by an intent, then by its answer until that expires', async () => {
    const { room, ledger, pass } = start();
    expect(left(room)).toBe(10);
    await ledger.begin(intent('k'));
    expect(left(room)).toBe(9);
    await ledger.complete('ann', 'k', outcome(3000, 90_000));
    expect(left(room)).toBe(6);
    pass(60_000);
    expect(left(room)).toBe(6);
    pass(60_000);
    expect(left(room)).toBe(10);
  });

  it('is refused with the limit, and nothing is written then; another has half of the rest', async () => {
    const { room, ledger, memory } = start();
    await ledger.begin(intent('k'));
    await ledger.complete('ann', 'k', outcome(9000));
    await expect(ledger.begin(intent('k2'))).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      message: expect.stringContaining('10000 (limits.keptCharacters: 10000)'),
    });
    expect(await memory.get('ann', 'k2', 0)).toBeUndefined();
    expect(left(room, 'bob')).toBe(5);
  });

  it('comes back where the intent is forgotten, is there already, or cannot be written', async () => {
    const { room, ledger, memory } = start();
    await ledger.begin(intent('k'));
    await ledger.forget('ann', 'k');
    await memory.begin(intent('other'));
    expect(await ledger.begin(intent('other'))).toMatchObject({ key: 'other' });
    const failing = createCountedLedger({ ...memory, begin: () => Promise.reject(new Error('disk full')) }, room);
    await expect(failing.begin(intent('k3'))).rejects.toThrow('disk full');
    expect(left(room)).toBe(10);
  });

  it('is used by a record whose outcome could not be written, until that is over', async () => {
    const memory = createMemoryLedger();
    const { room, ledger, pass } = start(10_000, {
      ...memory,
      complete: () => Promise.reject(new Error('disk full')),
    });
    await ledger.begin(intent('k'));
    await expect(ledger.complete('ann', 'k', outcome(3000, 60_000))).rejects.toThrow('disk full');
    expect(left(room)).toBe(9);
    pass(60_000);
    expect(left(room)).toBe(10);
  });

  it('is counted from the stores at a start, tasks included', async () => {
    const memory = createMemoryLedger();
    const tasks = createMemoryTaskStore();
    const before = start(10_000, memory);
    await before.ledger.begin(intent('k'));
    await before.ledger.complete('ann', 'k', outcome(2000));
    const counted = createCountedTasks(tasks, before.room);
    await counted.add({
      id: 'task-1',
      principal: 'ann',
      kind: 'tool',
      capabilityId: 's.t',
      requestId: null,
      key: null,
      traceId: 't',
      status: 'working',
      statusMessage: null,
      createdAtMs: 0,
      updatedAtMs: 0,
      inputRequests: null,
      result: null,
      source: null,
    });
    await counted.change('task-1', { status: 'completed', result: 'y'.repeat(1000) });
    expect(left(before.room)).toBe(5);
    const { room } = start(10_000, memory);
    await countWhatIsKept({ ledger: memory, tasks }, room, 0);
    expect(left(room)).toBe(5);
  });
});
