// The gate: one run per key for requests in any order, and no answer before it is durable.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ended, NotBegun, type Turn } from './gate.js';
import type { Intent, Ledger } from './ledger.js';
import { createMemoryLedger } from './memory-ledger.js';
import { createRunOnce } from './run-once.js';

const claim = (key: string, fingerprint = 'f') => ({ scope: 'me', key, fingerprint });
const intent = (key: string, more: Partial<Intent> = {}): Intent => ({
  ...claim(key),
  kind: 'tool',
  capabilityId: 's.t',
  firstTraceId: 'trace',
  createdAtMs: 0,
  unknownResponse: '"unknown"',
  ...more,
});
const kept = (response: string): Ended => ({ kind: 'ended', response, keep: true });
const paused = (response: string): Turn => ({ kind: 'paused', response });
const never = () => Promise.reject(new Error('it must not run'));

function start(ledger: Ledger = createMemoryLedger()) {
  let nowMs = 0;
  const once = createRunOnce({ ledger, epochMs: () => nowMs, ttlMs: () => 1000, onUncounted: () => {} });
  return { ledger, once, pass: (ms: number) => (nowMs += ms), now: () => nowMs };
}

/** Work that ends on request. */
function held() {
  let finish: (came: Turn) => void = () => {};
  let fail: (error: Error) => void = () => {};
  let runs = 0;
  const ended = new Promise<Turn>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const work = () => {
    runs += 1;
    return ended;
  };
  return {
    work,
    finish: (came: Turn) => finish(came),
    fail: (error: Error) => fail(error),
    runs: () => runs,
  };
}

/** A promise that the test resolves with `open`. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('a gate with defaults', () => {
  it('keeps an outcome for the milliseconds that it is given, and answers a replay that could not be counted', async () => {
    let nowMs = 0;
    const ledger = createMemoryLedger();
    const uncounted: Ledger = { ...ledger, countReplay: () => Promise.reject(new Error('the disk is full')) };
    const once = createRunOnce({ ledger: uncounted, epochMs: () => nowMs, ttlMs: 1000 });
    const run = (response: string) => once.run(intent('k', { createdAtMs: nowMs }), async () => kept(response));
    expect(await run('"one"')).toEqual({ kind: 'ran', response: '"one"' });
    nowMs = 999;
    expect(await run('"two"')).toEqual({ kind: 'replayed', response: '"one"' });
    nowMs = 1000;
    expect(await run('"three"')).toEqual({ kind: 'ran', response: '"three"' });
  });
});

describe('run', () => {
  it('runs once for a hundred at the same time: one ran, the others joined', async () => {
    const { once } = start();
    const { work, finish, runs } = held();
    const all = Array.from({ length: 100 }, () => once.run(intent('k'), work));
    finish(kept('1'));
    const results = await Promise.all(all);
    expect(runs()).toBe(1);
    expect(results.map(({ kind }) => kind).sort()).toEqual([...Array(99).fill('joined'), 'ran']);
    expect(results.every((result) => 'response' in result && result.response === '1')).toBe(true);
  });

  it('replays what is stored, and counts it', async () => {
    const { once, ledger } = start();
    await once.run(intent('k'), async () => kept('1'));
    expect(await once.run(intent('k'), async () => kept('2'))).toEqual({ kind: 'replayed', response: '1' });
    expect(await once.find(claim('k'))).toEqual({ kind: 'replayed', response: '1' });
    expect(await ledger.get('me', 'k', 0)).toMatchObject({ replayCount: 2, completedAtMs: 0, response: '1' });
  });

  it('writes the intent before the work and the outcome before the answer', async () => {
    const { ledger, once } = start();
    const seen: unknown[] = [];
    const work = async () => {
      seen.push((await ledger.get('me', 'k', 0))?.response);
      return kept('1');
    };
    await once.run(intent('k'), work);
    seen.push((await ledger.get('me', 'k', 0))?.response);
    expect(seen).toEqual(['"unknown"', '1']);
  });

  it('refuses a key that was used for something else, running or done', async () => {
    const { once } = start();
    const { work, finish } = held();
    const first = once.run(intent('k'), work);
    expect(await once.run(intent('k', { fingerprint: 'other' }), work)).toEqual({ kind: 'mismatch' });
    expect(await once.find(claim('k', 'other'))).toEqual({ kind: 'mismatch' });
    finish(kept('1'));
    await first;
    expect(await once.run(intent('k', { fingerprint: 'other' }), work)).toEqual({ kind: 'mismatch' });
  });

  it('keeps keys of different scopes apart', async () => {
    const { once } = start();
    await once.run(intent('k'), async () => kept('mine'));
    expect(await once.run(intent('k', { scope: 'you' }), async () => kept('yours'))).toMatchObject({
      kind: 'ran',
    });
    expect(await once.find({ ...claim('k'), scope: 'third' })).toBeUndefined();
  });

  it('forgets what is not to be kept, and shares it with those who joined', async () => {
    const { once, ledger } = start();
    const { work, finish } = held();
    const both = [once.run(intent('k'), work), once.run(intent('k'), work)];
    finish({ kind: 'ended', response: 'refused', keep: false });
    expect(await Promise.all(both)).toEqual([
      { kind: 'ran', response: 'refused' },
      { kind: 'joined', response: 'refused' },
    ]);
    expect(await ledger.get('me', 'k', 0)).toBeUndefined();
    expect(await once.run(intent('k'), async () => kept('1'))).toEqual({ kind: 'ran', response: '1' });
  });

  it('leaves the unknown response where the outcome could not be written, and never runs again', async () => {
    const ledger = createMemoryLedger();
    const { once } = start({ ...ledger, complete: () => Promise.reject(new Error('disk full')) });
    const both = [once.run(intent('k'), async () => kept('1')), once.run(intent('k'), async () => kept('1'))];
    for (const result of both) await expect(result).rejects.toThrow('disk full');
    const repeat = once.run(intent('k'), async () => kept('2'));
    expect(await repeat).toEqual({ kind: 'replayed', response: '"unknown"' });
  });

  it('runs again once the outcome has expired', async () => {
    const { once, pass, now, ledger } = start();
    await once.run(intent('k'), async () => kept('1'));
    pass(1000);
    expect(await once.find(claim('k'))).toBeUndefined();
    expect(await once.run(intent('k', { createdAtMs: now() }), async () => kept('2'))).toMatchObject({
      kind: 'ran',
    });
    expect((await ledger.list('me', { limit: 9, offset: 0 }, now())).map(({ response }) => response)).toEqual(['2']);
  });

  it('contacts no upstream where the intent cannot be written', async () => {
    const ledger = createMemoryLedger();
    const { once } = start({ ...ledger, begin: () => Promise.reject(new Error('disk full')) });
    const { work, runs } = held();
    await expect(once.run(intent('k'), work)).rejects.toThrow(NotBegun);
    expect(runs()).toBe(0);
  });
});

describe('who waits for the run of another', () => {
  const gone = new Error('the caller went away');

  it('stops with its signal while the work is under way, which goes on', async () => {
    const { once } = start();
    const { work, finish } = held();
    const first = once.run(intent('k'), work);
    const waiter = new AbortController();
    const waiting = [once.run(intent('k'), work, { signal: waiter.signal }), once.find(claim('k'), waiter.signal)];
    waiter.abort(gone);
    for (const waited of waiting) await expect(waited).rejects.toBe(gone);
    await expect(once.run(intent('k'), work, { signal: waiter.signal })).rejects.toBe(gone);
    finish(kept('1'));
    expect(await first).toEqual({ kind: 'ran', response: '1' });
  });

  it('gets the outcome once that is there, however long it takes to be written', async () => {
    const memory = createMemoryLedger();
    const writing = gate();
    const ledger: Ledger = { ...memory, complete: (...args) => writing.opened.then(() => memory.complete(...args)) };
    const { once } = start(ledger);
    const { work, finish } = held();
    const waiter = new AbortController();
    const runs = [
      once.run(intent('k'), work),
      once.run(intent('k'), work, { signal: waiter.signal }),
      once.find(claim('k'), waiter.signal),
    ];
    finish(kept('1'));
    await settled();
    waiter.abort(gone);
    const late = once.run(intent('k'), work, { signal: waiter.signal });
    await settled();
    writing.open();
    expect(await Promise.all([...runs, late])).toEqual([
      { kind: 'ran', response: '1' },
      ...Array(3).fill({ kind: 'joined', response: '1' }),
    ]);
  });

  it('gets what the ledger knows, however long that takes to be read', async () => {
    const memory = createMemoryLedger();
    const reading = gate();
    await start(memory).once.run(intent('k'), async () => kept('1'));
    const { once } = start({ ...memory, get: (...args) => reading.opened.then(() => memory.get(...args)) });
    const waiter = new AbortController();
    const runs = [once.run(intent('k'), never), once.run(intent('k'), never, { signal: waiter.signal })];
    waiter.abort(gone);
    reading.open();
    expect(await Promise.all(runs)).toEqual(Array(2).fill({ kind: 'replayed', response: '1' }));
  });

  it('begins nothing where the run failed after it has stopped', async () => {
    const memory = createMemoryLedger();
    const forgetting = gate();
    const ledger: Ledger = { ...memory, forget: (...args) => forgetting.opened.then(() => memory.forget(...args)) };
    const { once } = start(ledger);
    const { work, finish } = held();
    const first = once.run(intent('k'), work);
    const waiter = new AbortController();
    const waiting = once.run(intent('k'), never, { turn: 's1', signal: waiter.signal });
    finish({ kind: 'ended', response: 'refused', keep: false });
    await settled();
    waiter.abort(gone);
    forgetting.open();
    await expect(waiting).rejects.toBe(gone);
    expect(await first).toEqual({ kind: 'ran', response: 'refused' });
    expect(await ledger.get('me', 'k', 0)).toBeUndefined();
  });

  it('may stop at every turn that it waits for, and leaves nothing on its signal', async () => {
    const { once } = start();
    const waiter = new AbortController();
    const listeners = () => getEventListeners(waiter.signal, 'abort').length;
    const [first, second] = [held(), held()];
    const runs = [once.run(intent('k'), first.work), once.run(intent('k'), second.work, { turn: 's1' })];
    const waiting = once.run(intent('k'), never, { turn: 's2', signal: waiter.signal });
    await settled();
    expect(listeners()).toBe(1);
    first.finish(paused('who?'));
    await settled();
    expect([second.runs(), listeners()]).toEqual([1, 1]);
    waiter.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    expect(listeners()).toBe(0);
    second.finish(kept('1'));
    expect(await Promise.all(runs)).toEqual([
      { kind: 'ran', response: 'who?' },
      { kind: 'ran', response: '1' },
    ]);
  });

  it('takes no turn once it has stopped', async () => {
    const { once } = start();
    await once.run(intent('k'), async () => paused('who?'));
    const { work, finish } = held();
    const answered = once.run(intent('k'), work, { turn: 's1' });
    const waiter = new AbortController();
    const waiting = once.run(intent('k'), never, { signal: waiter.signal });
    waiter.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    finish(paused('and?'));
    expect(await answered).toEqual({ kind: 'ran', response: 'and?' });
    expect(await once.run(intent('k'), async () => kept('1'), { turn: 's2' })).toEqual({ kind: 'ran', response: '1' });
  });
});

describe('work that pauses', () => {
  it('stays in flight in the ledger, and goes on with the next request under its key', async () => {
    const { once, ledger } = start();
    const turns: boolean[] = [];
    const turn = (came: Turn) => (isFirst: boolean) => {
      turns.push(isFirst);
      return Promise.resolve(came);
    };
    expect(await once.run(intent('k'), turn(paused('who?')))).toEqual({ kind: 'ran', response: 'who?' });
    expect(await ledger.get('me', 'k', 0)).toMatchObject({ completedAtMs: null, response: '"unknown"' });
    expect(await once.run(intent('k'), turn(paused('and?')), { turn: 's1' })).toEqual({
      kind: 'ran',
      response: 'and?',
    });
    expect(await once.run(intent('k'), turn(kept('1')), { turn: 's2' })).toEqual({ kind: 'ran', response: '1' });
    expect(await once.run(intent('k'), turn(kept('2')))).toEqual({ kind: 'replayed', response: '1' });
    expect(turns).toEqual([true, false, false]);
  });

  it('is not ended by a turn that is refused', async () => {
    const { once, ledger } = start();
    await once.run(intent('k'), async () => paused('who?'));
    const refused: Turn = { kind: 'ended', response: 'no', keep: false };
    expect(await once.run(intent('k'), async () => refused, { turn: 'bad' })).toEqual({ kind: 'ran', response: 'no' });
    expect(await ledger.get('me', 'k', 0)).toMatchObject({ completedAtMs: null });
    expect(await once.run(intent('k'), async () => kept('1'), { turn: 's1' })).toEqual({ kind: 'ran', response: '1' });
  });

  it('shares a turn with those who take the same, and gives others one of their own', async () => {
    const { once } = start();
    await once.run(intent('k'), async () => paused('who?'));
    const { work, finish, runs } = held();
    const answers = ['s1', 's1'].map((state) => once.run(intent('k'), work, { turn: state }));
    const first = once.run(intent('k'), async () => paused('still?'));
    finish(paused('and?'));
    expect(await Promise.all(answers)).toEqual([
      { kind: 'ran', response: 'and?' },
      { kind: 'joined', response: 'and?' },
    ]);
    expect(await first).toEqual({ kind: 'ran', response: 'still?' });
    expect(runs()).toBe(1);
  });

  it('gives every caller the outcome if a turn brings it', async () => {
    const { once } = start();
    await once.run(intent('k'), async () => paused('who?'));
    const { work, finish } = held();
    const answered = once.run(intent('k'), work, { turn: 's1' });
    const first = once.run(intent('k'), async () => kept('again'));
    finish(kept('1'));
    expect(await answered).toEqual({ kind: 'ran', response: '1' });
    expect(await first).toEqual({ kind: 'joined', response: '1' });
  });

  it('ends without a request, and requests in between wait for that', async () => {
    const { once, ledger } = start();
    await once.run(intent('k'), async () => paused('who?'));
    let end: (ended: Ended) => void = () => {};
    const finished = once.finish(claim('k'), new Promise((resolve) => (end = resolve)));
    const asked = [once.run(intent('k'), async () => kept('2')), once.find(claim('k'))];
    end(kept('1'));
    await finished;
    expect(await Promise.all(asked)).toEqual(Array(2).fill({ kind: 'joined', response: '1' }));
    expect(await ledger.get('me', 'k', 0)).toMatchObject({ completedAtMs: 0, response: '1' });
  });

  it('may end before its turn has said that it is paused', async () => {
    const { once, ledger } = start();
    const { work, finish } = held();
    const first = once.run(intent('k'), work);
    const finished = once.finish(claim('k'), Promise.resolve(kept('1')));
    finish(paused('who?'));
    expect(await first).toEqual({ kind: 'ran', response: 'who?' });
    await finished;
    expect(await ledger.get('me', 'k', 0)).toMatchObject({ completedAtMs: 0, response: '1' });
  });

  it('says where its end could not be written, and is never run again', async () => {
    const ledger = createMemoryLedger();
    const { once } = start({ ...ledger, complete: () => Promise.reject(new Error('disk full')) });
    await once.run(intent('k'), async () => paused('who?'));
    await expect(once.finish(claim('k'), Promise.resolve(kept('1')))).rejects.toThrow('disk full');
    const repeat = once.run(intent('k'), async () => kept('2'));
    expect(await repeat).toEqual({ kind: 'replayed', response: '"unknown"' });
  });

  it('is nothing that `finish` ends where it is over, and nothing that `find` finds while it waits', async () => {
    const { once } = start();
    await once.run(intent('k'), async () => paused('who?'));
    expect(await once.find(claim('k'))).toBeUndefined();
    expect(await once.find(claim('k', 'other'))).toEqual({ kind: 'mismatch' });
    await once.run(intent('k'), async () => kept('1'), { turn: 's1' });
    await once.finish(claim('k'), Promise.resolve(kept('2')));
    expect(await once.find(claim('k'))).toEqual({ kind: 'replayed', response: '1' });
  });
});

describe('a key that runs in another process', () => {
  it('is neither run nor found here, is no other request, and is asked for again when it has ended', async () => {
    const memory = createMemoryLedger();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let isElsewhere = true;
    const found = { ...intent('k'), completedAtMs: null, response: '1', replayCount: 0 };
    const record = () => ({ ...found, ...(isElsewhere ? ({ isElsewhere } as const) : {}) });
    const ledger: Ledger = {
      ...memory,
      begin: async () => record(),
      find: async () => record(),
      untilEnded: () => ended,
    };
    const { once } = start(ledger);
    expect(await once.run(intent('k'), never)).toEqual({ kind: 'elsewhere' });
    expect(await once.find(claim('k'))).toEqual({ kind: 'elsewhere' });
    expect(await once.run(intent('k', { fingerprint: 'other' }), never)).toEqual({ kind: 'mismatch' });
    const waited = once.untilEnded(claim('k'), new AbortController().signal);
    isElsewhere = false;
    end();
    await waited;
    expect(await once.run(intent('k'), never)).toEqual({ kind: 'replayed', response: '1' });
  });
});

describe('after any failure of a service', () => {
  /** A service that ends in the middle loses what is in memory; the ledger stays. */
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    /**
     * The end of the run: the service ends before or after the work or while it is paused, the call is refused unsent,
     * or it succeeds.
     */
    end: fc.constantFrom('before', 'during', 'paused', 'unsent', 'well'),
    duplicates: fc.integer({ min: 1, max: 4 }),
  });

  it('runs a key at most once unless nothing was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const ledger = createMemoryLedger();
        const contacts = new Map<string, number>();
        for (const { key, end, duplicates } of steps) {
          const { once } = start(ledger); // a service of its own
          const work = async (isFirst: boolean): Promise<Turn> => {
            if (!isFirst) return { kind: 'paused', response: 'who?' };
            if (end === 'unsent') return { kind: 'ended', response: 'refused', keep: false };
            if (end === 'before') return new Promise(() => {});
            contacts.set(key, (contacts.get(key) ?? 0) + 1);
            if (end === 'paused') return { kind: 'paused', response: 'who?' };
            return end === 'during' ? new Promise(() => {}) : kept(`outcome of ${key}`);
          };
          const runs = Array.from({ length: duplicates }, () => once.run(intent(key), work));
          const ended = await Promise.race([Promise.all(runs), settled()]);
          if (ended !== undefined && end === 'well') {
            const answers = new Set(ended.map((result) => ('response' in result ? result.response : result.kind)));
            expect(answers.size).toBe(1);
          }
          await ledger.closeInterrupted(0, 1000);
        }
        expect([...contacts.values()].every((count) => count === 1)).toBe(true);
      }),
    );
  });
});

/** Resolves when every chain of promises that can end has ended. */
async function settled(): Promise<undefined> {
  for (let turn = 0; turn < 100; turn += 1) await undefined;
  return undefined;
}
