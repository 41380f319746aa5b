// The gate: one run per key, whoever comes when, and nothing told before it is durable.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent, Ledger } from './ledger.js';
import { createMemoryLedger } from './memory-ledger.js';
import { createRunOnce, type Finished, NotBegun } from './run-once.js';

const use = (key: string, fingerprint = 'f') => ({ scope: 'me', key, fingerprint });
const intent = (key: string, more: Partial<Intent> = {}): Intent => ({
  ...use(key),
  kind: 'tool',
  capabilityId: 's.t',
  firstTraceId: 'trace',
  createdAtMs: 0,
  unknownResponse: '"unknown"',
  ...more,
});
const kept = (response: string): Finished => ({ response, keep: true });

function start(ledger: Ledger = createMemoryLedger()) {
  let nowMs = 0;
  const once = createRunOnce({ ledger, epochMs: () => nowMs, ttlMs: () => 1000, onUncounted: () => {} });
  return { ledger, once, pass: (ms: number) => (nowMs += ms), now: () => nowMs };
}

/** Work that ends when told. */
function held() {
  let finish: (finished: Finished) => void = () => {};
  let fail: (error: Error) => void = () => {};
  let runs = 0;
  const ended = new Promise<Finished>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const work = () => {
    runs += 1;
    return ended;
  };
  return {
    work,
    finish: (finished: Finished) => finish(finished),
    fail: (error: Error) => fail(error),
    runs: () => runs,
  };
}

describe('run', () => {
  it('runs once for a hundred at the same time: one ran, the others joined', async () => {
    const { once } = start();
    const { work, finish, runs } = held();
    const all = Array.from({ length: 100 }, () => once.run(intent('k'), work).result);
    finish(kept('1'));
    const results = await Promise.all(all);
    expect(runs()).toBe(1);
    expect(results.map(({ kind }) => kind).sort()).toEqual([...Array(99).fill('joined'), 'ran']);
    expect(results.every((result) => 'response' in result && result.response === '1')).toBe(true);
  });

  it('replays what is stored, and counts it', async () => {
    const { once, ledger } = start();
    await once.run(intent('k'), async () => kept('1')).result;
    expect(await once.run(intent('k'), async () => kept('2')).result).toEqual({ kind: 'replayed', response: '1' });
    expect(await once.find(use('k'))).toEqual({ kind: 'replayed', response: '1' });
    expect(await ledger.get('me', 'k', 0)).toMatchObject({ replayCount: 2, completedAtMs: 0, response: '1' });
  });

  it('writes the intent before the work and the outcome before the answer', async () => {
    const { ledger, once } = start();
    const seen: unknown[] = [];
    const work = async () => {
      seen.push((await ledger.get('me', 'k', 0))?.response);
      return kept('1');
    };
    await once.run(intent('k'), work).result;
    seen.push((await ledger.get('me', 'k', 0))?.response);
    expect(seen).toEqual(['"unknown"', '1']);
  });

  it('refuses a key that was used for something else, running or done', async () => {
    const { once } = start();
    const { work, finish } = held();
    const first = once.run(intent('k'), work).result;
    expect(await once.run(intent('k', { fingerprint: 'other' }), work).result).toEqual({ kind: 'mismatch' });
    expect(await once.find(use('k', 'other'))).toEqual({ kind: 'mismatch' });
    finish(kept('1'));
    await first;
    expect(await once.run(intent('k', { fingerprint: 'other' }), work).result).toEqual({ kind: 'mismatch' });
  });

  it('keeps keys of different scopes apart', async () => {
    const { once } = start();
    await once.run(intent('k'), async () => kept('mine')).result;
    expect(await once.run(intent('k', { scope: 'you' }), async () => kept('yours')).result).toMatchObject({
      kind: 'ran',
    });
    expect(await once.find({ ...use('k'), scope: 'third' })).toBeUndefined();
  });

  it('forgets what is not to be kept, and shares it with those who joined', async () => {
    const { once, ledger } = start();
    const { work, finish } = held();
    const both = [once.run(intent('k'), work).result, once.run(intent('k'), work).result];
    finish({ response: 'refused', keep: false });
    expect(await Promise.all(both)).toEqual([
      { kind: 'ran', response: 'refused' },
      { kind: 'joined', response: 'refused' },
    ]);
    expect(await ledger.get('me', 'k', 0)).toBeUndefined();
    expect(await once.run(intent('k'), async () => kept('1')).result).toEqual({ kind: 'ran', response: '1' });
  });

  it('says who runs the work, so that the others may stop to wait', async () => {
    const { once } = start();
    const { work, finish } = held();
    const attempts = [once.run(intent('k'), work), once.run(intent('k'), work)];
    finish(kept('1'));
    await Promise.all(attempts.map(({ result }) => result));
    expect(attempts.map(({ isOwn }) => isOwn)).toEqual([true, false]);
  });

  it('leaves what stands for an unknown outcome where the outcome could not be written, and never runs again', async () => {
    const ledger = createMemoryLedger();
    const { once } = start({ ...ledger, complete: () => Promise.reject(new Error('disk full')) });
    const both = [once.run(intent('k'), async () => kept('1')), once.run(intent('k'), async () => kept('1'))];
    for (const { result } of both) await expect(result).rejects.toThrow('disk full');
    const repeat = once.run(intent('k'), async () => kept('2'));
    expect(await repeat.result).toEqual({ kind: 'replayed', response: '"unknown"' });
  });

  it('runs again once the outcome has expired', async () => {
    const { once, pass, now, ledger } = start();
    await once.run(intent('k'), async () => kept('1')).result;
    pass(1000);
    expect(await once.find(use('k'))).toBeUndefined();
    expect(await once.run(intent('k', { createdAtMs: now() }), async () => kept('2')).result).toMatchObject({
      kind: 'ran',
    });
    expect((await ledger.list('me', { limit: 9, offset: 0 }, now())).map(({ response }) => response)).toEqual(['2']);
  });

  it('contacts nobody where the intent cannot be written', async () => {
    const ledger = createMemoryLedger();
    const { once } = start({ ...ledger, begin: () => Promise.reject(new Error('disk full')) });
    const { work, runs } = held();
    await expect(once.run(intent('k'), work).result).rejects.toThrow(NotBegun);
    expect(runs()).toBe(0);
  });
});

describe('whatever happens to a service', () => {
  /** A service that ends in the middle loses what is in memory; the ledger stays. */
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    /** What becomes of the run: the service ends before or after the work, the call is refused unsent, or all is well. */
    end: fc.constantFrom('before', 'during', 'unsent', 'well'),
    duplicates: fc.integer({ min: 1, max: 4 }),
  });

  it('runs a key at most once unless nothing was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const ledger = createMemoryLedger();
        const contacts = new Map<string, number>();
        for (const { key, end, duplicates } of steps) {
          const { once } = start(ledger); // a service of its own
          const work = async (): Promise<Finished> => {
            if (end === 'unsent') return { response: 'refused', keep: false };
            if (end === 'before') return new Promise(() => {});
            contacts.set(key, (contacts.get(key) ?? 0) + 1);
            return end === 'during' ? new Promise(() => {}) : kept(`outcome of ${key}`);
          };
          const runs = Array.from({ length: duplicates }, () => once.run(intent(key), work).result);
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
