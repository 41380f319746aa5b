// The behaviour of every ledger: one suite over every implementation.
import { createMemoryLedger, type Intent, type Ledger } from '@portico/idempotency';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLedger } from './ledger.js';
import { createGenerations } from './testing/generations.js';
import { intentOf, recordOf } from './testing/intent.js';
import { useDatabases } from './testing/use-databases.js';

const { postgres, sqlites } = await useDatabases();
const { openFirst, laterOf } = createGenerations(createLedger);

const implementations: readonly (readonly [string, () => Promise<Ledger>])[] = [
  ['memory', async () => createMemoryLedger()],
  ...sqlites.map(({ name, open }) => [name, async () => openFirst(await open())] as const),
  ['PostgreSQL', async () => openFirst(await postgres.open())],
];

async function keysOf(ledger: Ledger, scope: string, limit: number, offset: number, nowMs = 0) {
  return (await ledger.list(scope, { limit, offset }, nowMs)).map(({ key }) => key);
}

function complete(ledger: Ledger, { scope, key }: Intent, expiresAtMs: number): Promise<void> {
  return ledger.complete(scope, key, { response: '"done"', completedAtMs: 1500, expiresAtMs });
}

describe.each(implementations)('ledger in %s', (_where, open) => {
  it('writes an intent where the key is free, and gives the record where it is not', async () => {
    const ledger = await open();
    const first = intentOf();
    expect(await ledger.begin(first)).toBeUndefined();
    expect(await ledger.begin(intentOf({ fingerprint: 'f-2', createdAtMs: 2000 }))).toEqual(recordOf(first));
  });

  it('lets one of 100 that begin the same key at once begin', async () => {
    const ledger = await open();
    const intents = Array.from({ length: 100 }, (_, i) => intentOf({ fingerprint: `f-${i}` }));
    const answers = await Promise.all(intents.map((intent) => ledger.begin(intent)));
    const winners = intents.filter((_, i) => answers[i] === undefined);
    expect(winners).toHaveLength(1);
    const kept = await ledger.get('ann', 'k-1', 1000);
    expect(winners.map((winner) => recordOf(winner))).toEqual([kept]);
    expect(answers.filter((answer) => answer !== undefined)).toEqual(Array.from({ length: 99 }, () => kept));
  });

  it('keeps the keys of one scope from those of another', async () => {
    const ledger = await open();
    const [ann, bob] = [intentOf(), intentOf({ scope: 'bob' })];
    expect([await ledger.begin(ann), await ledger.begin(bob)]).toEqual([undefined, undefined]);
    await ledger.forget('ann', 'k-1');
    expect(await ledger.get('ann', 'k-1', 0)).toBeUndefined();
    expect(await ledger.get('bob', 'k-1', 0)).toEqual(recordOf(bob));
    expect([await keysOf(ledger, 'ann', 10, 0), await keysOf(ledger, 'bob', 10, 0)]).toEqual([[], ['k-1']]);
  });

  it('says how much is kept of each scope that has not expired, in bytes', async () => {
    const ledger = await open();
    const keep = async (scope: string, key: string, response: string, expiresAtMs: number) => {
      await ledger.begin(intentOf({ scope, key }));
      await ledger.complete(scope, key, { response, completedAtMs: 1, expiresAtMs });
    };
    await keep('ann', 'a', 'x'.repeat(20_000), 1000);
    await keep('ann', 'b', 'x', 2000);
    await keep('ann', 'gone', 'x', 10);
    await keep('bob', 'a', '12345', 1000);
    await ledger.begin(intentOf({ key: 'open' }));
    const sums: Record<string, [number, number, number]> = {};
    for (const { scope, records, bytes, expiresAtMs } of await ledger.sizes(10)) {
      const [count, sum, last] = sums[scope] ?? [0, 0, 0];
      sums[scope] = [count + records, sum + bytes, Math.max(last, expiresAtMs)];
    }
    expect(sums).toEqual({ ann: [2, 20_001, 2000], bob: [1, 5, 1000] });
  });

  it('does not take scope and key for one text', async () => {
    const ledger = await open();
    await ledger.begin(intentOf({ scope: 'a', key: 'b:c' }));
    expect(await ledger.begin(intentOf({ scope: 'a:b', key: 'c' }))).toBeUndefined();
  });

  it('keeps keys of any length and any text apart', async () => {
    const ledger = await open();
    const long = Array.from({ length: 1024 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('');
    const intents = [long, `${long.slice(0, -1)}a`, 'A', 'a', 'ä', 'a\u0308', "'", '\\', '%'].map((key) =>
      intentOf({ key }),
    );
    for (const intent of intents) expect(await ledger.begin(intent)).toBeUndefined();
    for (const intent of intents) expect(await ledger.begin(intent)).toEqual(recordOf(intent));
  });

  it('frees a key that is forgotten', async () => {
    const ledger = await open();
    await ledger.begin(intentOf());
    await ledger.forget('ann', 'k-1');
    expect(await ledger.begin(intentOf({ createdAtMs: 2000 }))).toBeUndefined();
  });

  it('gives no record from the moment it expires, and lets the key begin again as the newest', async () => {
    const ledger = await open();
    const old = intentOf();
    await ledger.begin(old);
    await complete(ledger, old, 5000);
    await ledger.countReplay('ann', 'k-1');
    await ledger.begin(intentOf({ key: 'k-2', createdAtMs: 5000 }));
    expect(await ledger.get('ann', 'k-1', 5000)).toBeUndefined();
    expect(await keysOf(ledger, 'ann', 10, 0, 5000)).toEqual(['k-2']);
    const again = intentOf({ createdAtMs: 5000, fingerprint: 'f-2' });
    expect(await ledger.begin(again)).toBeUndefined();
    expect(await ledger.get('ann', 'k-1', 5000)).toEqual(recordOf(again));
    expect(await keysOf(ledger, 'ann', 10, 0, 5000)).toEqual(['k-1', 'k-2']);
  });

  it('does not let an intent expire that has not been completed', async () => {
    const ledger = await open();
    const intent = intentOf();
    await ledger.begin(intent);
    expect(await ledger.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(await ledger.get('ann', 'k-1', Number.MAX_SAFE_INTEGER)).toEqual(recordOf(intent));
  });

  it('closes an interrupted execution with its answer, and no other', async () => {
    const ledger = await open();
    const { closeInterrupted } = laterOf(ledger);
    const [cut, done] = [intentOf(), intentOf({ key: 'k-2' })];
    await ledger.begin(cut);
    await ledger.begin(intentOf({ scope: 'bob' }));
    await ledger.begin(done);
    await complete(ledger, done, 5000);
    const { key, kind, capabilityId, firstTraceId } = cut;
    const interrupted = { key, kind, capabilityId, firstTraceId };
    expect(await closeInterrupted(2000, 7000)).toEqual([interrupted, interrupted]);
    expect(await closeInterrupted(3000, 8000)).toEqual([]);
    expect(await ledger.get('ann', 'k-1', 6999)).toEqual(recordOf(cut, { completedAtMs: 2000 }));
    expect(await ledger.get('ann', 'k-1', 7000)).toBeUndefined();
    expect((await ledger.get('ann', 'k-2', 4999))?.completedAtMs).toBe(1500);
  });

  it('purges what has expired, and counts it', async () => {
    const ledger = await open();
    for (const [key, expiresAtMs] of [
      ['k-1', 5000],
      ['k-2', 5001],
      ['k-3', 4000],
    ] as const) {
      await ledger.begin(intentOf({ key }));
      await complete(ledger, intentOf({ key }), expiresAtMs);
    }
    expect(await ledger.purge(5000)).toBe(2);
    expect(await ledger.purge(5000)).toBe(0);
    expect(await keysOf(ledger, 'ann', 10, 0)).toEqual(['k-2']);
  });

  it('keeps the outcome', async () => {
    const ledger = await open();
    const intent = intentOf();
    await ledger.begin(intent);
    const response = JSON.stringify({ text: 'Grüße 🎉 \u0000 "quoted"', ['__proto__']: 1 });
    await ledger.complete('ann', 'k-1', { response, completedAtMs: 1500, expiresAtMs: 9000 });
    const record = recordOf(intent, { response, completedAtMs: 1500 });
    expect(await ledger.get('ann', 'k-1', 8999)).toEqual(record);
    expect(await ledger.begin(intentOf({ createdAtMs: 8999 }))).toEqual(record);
  });

  it('changes nothing for a key that is not there', async () => {
    const ledger = await open();
    await ledger.countReplay('ann', 'k-1');
    await expect(complete(ledger, intentOf(), 5000)).rejects.toThrow('taken for cut off');
    await ledger.forget('ann', 'k-1');
    expect(await keysOf(ledger, 'ann', 100, 0)).toEqual([]);
  });

  it('counts 50 replays at once', async () => {
    const ledger = await open();
    await ledger.begin(intentOf());
    await Promise.all(Array.from({ length: 50 }, () => ledger.countReplay('ann', 'k-1')));
    expect((await ledger.get('ann', 'k-1', 0))?.replayCount).toBe(50);
  });

  it('lists newest first, those of one moment in reverse order of their coming, in pages', async () => {
    const ledger = await open();
    for (const [key, createdAtMs] of [
      ['old', 1000],
      ['new', 3000],
      ['tie-1', 2000],
      ['tie-2', 2000],
      ['tie-3', 2000],
    ] as const) {
      await ledger.begin(intentOf({ key, createdAtMs }));
    }
    expect(await keysOf(ledger, 'ann', 100, 0)).toEqual(['new', 'tie-3', 'tie-2', 'tie-1', 'old']);
    expect(await keysOf(ledger, 'ann', 2, 1)).toEqual(['tie-3', 'tie-2']);
    expect(await keysOf(ledger, 'ann', 2, 4)).toEqual(['old']);
    expect([await keysOf(ledger, 'ann', 2, 5), await keysOf(ledger, 'ann', 0, 0)]).toEqual([[], []]);
  });
});

interface Step {
  readonly call: keyof Ledger;
  readonly given: unknown;
  readonly run: (ledger: Ledger) => Promise<unknown>;
}

function stepOf<A>(
  call: keyof Ledger,
  args: fc.Arbitrary<A>,
  run: (ledger: Ledger, args: A) => Promise<unknown>,
): fc.Arbitrary<Step> {
  return args.map((given) => ({ call, given, run: (ledger) => run(ledger, given) }));
}

const scope = fc.constantFrom('ann', 'bob');
const key = fc.constantFrom('k', '', "'; drop table executions; --", 'ü\u0001', '__proto__');
const moment = fc.integer({ min: 0, max: 6 });
/** Null characters are not for stores: keys may hold none, and what a text keeps of one depends on the database. */
const text = fc.string({ unit: 'binary', maxLength: 5 }).map((any) => any.replaceAll('\0', ''));
const page = fc.record({ limit: fc.nat({ max: 4 }), offset: fc.nat({ max: 4 }) });
const outcome = fc.record({ response: text, completedAtMs: moment, expiresAtMs: moment });
const intent = fc.record({
  scope,
  key,
  fingerprint: text,
  kind: fc.constantFrom('tool', 'resource', 'prompt'),
  capabilityId: text,
  firstTraceId: text,
  createdAtMs: moment,
  unknownResponse: text,
});

const steps = fc.oneof(
  stepOf('begin', intent, (ledger, given) => ledger.begin(given)),
  stepOf('complete', fc.tuple(scope, key, outcome), (ledger, args) =>
    ledger.complete(...args).catch(({ message }: Error) => message),
  ),
  stepOf('forget', fc.tuple(scope, key), (ledger, args) => ledger.forget(...args)),
  stepOf('countReplay', fc.tuple(scope, key), (ledger, args) => ledger.countReplay(...args)),
  stepOf('find', fc.tuple(scope, key, moment), async (ledger, args) => ledger.find(...args)),
  stepOf('get', fc.tuple(scope, key, moment), (ledger, args) => ledger.get(...args)),
  stepOf('list', fc.tuple(scope, page, moment), (ledger, args) => ledger.list(...args)),
  stepOf('closeInterrupted', fc.tuple(moment, moment), (ledger, args) => laterOf(ledger).closeInterrupted(...args)),
  stepOf('purge', moment, (ledger, nowMs) => ledger.purge(nowMs)),
);

describe('ledgers', () => {
  it.each(sqlites)('give the same answers in memory and in $name, for all sequences of requests', async ({ open }) => {
    const database = await open();
    const everything = { limit: 1000, offset: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (sequence) => {
        await database.write((trx) => trx.deleteFrom('executions').execute());
        const [memory, durable] = [createMemoryLedger(), openFirst(database)];
        for (const { run } of sequence) expect(await run(durable)).toEqual(await run(memory));
        for (const owner of ['ann', 'bob']) {
          expect(await durable.list(owner, everything, 0)).toEqual(await memory.list(owner, everything, 0));
        }
      }),
    );
  });
});
