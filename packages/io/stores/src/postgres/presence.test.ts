// Daemons on one database: which ones live, the signals between them, and the end of one that is silent for too long.
import { randomUUID } from 'node:crypto';
import type { Log } from '@portico/control-plane';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StateDatabase } from '../database.js';
import { createLedger } from '../ledger.js';
import { intentOf } from '../testing/intent.js';
import { createPostgresDatabases, noLog, startLimitMs } from '../testing/postgres-databases.js';
import { silence } from '../testing/silence.js';
import { openPostgresDatabase } from './open-postgres.js';

const postgres = createPostgresDatabases();
const opened: StateDatabase[] = [];

beforeAll(postgres.start, startLimitMs);
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await postgres.closeAll();
});
afterAll(() => postgres.close());

/** So long that no lease runs out because this process stands still for a while. */
const longMs = 60_000;
/** Lease of daemons that expire, or that notice it, soon. */
const shortMs = 500;

async function open(
  url: string,
  { stateDirectory = randomUUID() as string, leaseMs = longMs, version = '1.0.0', log = noLog as Log } = {},
) {
  const database = await openPostgresDatabase({ url, log, stateDirectory, leaseMs, version });
  opened.push(database);
  return database;
}

const living = async ({ reads }: StateDatabase) => {
  const rows = await reads.selectFrom('daemons').select('id').execute();
  return rows.map(({ id }) => id).sort();
};

/** Records the signals of a topic from now on. */
function signalsOf({ signals }: StateDatabase, topic: Parameters<typeof signals.on>[0]): (string | undefined)[] {
  const received: (string | undefined)[] = [];
  signals.on(topic, (subject) => received.push(subject));
  return received;
}

/** Until its lease has been renewed twice. */
async function nextBeats({ reads, owner }: StateDatabase): Promise<void> {
  const leaseUntil = async () =>
    (await reads.selectFrom('daemons').select('lease_until_ms').where('id', '=', owner).executeTakeFirstOrThrow())
      .lease_until_ms;
  for (let beats = 0; beats < 2; beats++) {
    const before = await leaseUntil();
    await expect.poll(leaseUntil).toBeGreaterThan(before);
  }
}

/** The ledgers of two daemons, an execution that the first one has begun, and what makes that one's writes fail. */
async function beginAtOneOfTwo() {
  const url = await postgres.create();
  const [first, second] = [await open(url), await open(url)];
  let isFailing = false;
  const write: typeof first.write = (work, options) =>
    isFailing ? Promise.reject(new Error('away')) : first.write(work, options);
  const [one, two] = [createLedger({ ...first, write }), createLedger(second)];
  await one.begin(intentOf());
  return {
    one,
    two,
    fail(isSo: boolean) {
      isFailing = isSo;
    },
  };
}

/** Ends the connection on which the daemon that was opened first says that it lives. */
async function endFirstPresence({ reads }: StateDatabase): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'portico, process%'
    and datname = current_database() order by backend_start limit 1`.execute(reads);
}

describe('a daemon', () => {
  it('lives while its lease is renewed, and goes at once when it is closed', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url)];
    expect(await living(first)).toEqual([first.owner, second.owner].sort());
    const gone = signalsOf(first, 'gone');
    await second.close();
    opened.pop();
    await expect.poll(() => gone).toEqual([second.owner]);
    expect(await living(first)).toEqual([first.owner]);
  });

  it('that is silent for a lease is taken for gone by the others', async () => {
    const url = await postgres.create();
    const silent = await open(url, { leaseMs: shortMs });
    await silence(silent);
    const other = await open(url, { leaseMs: shortMs });
    const gone = signalsOf(other, 'gone');
    await expect.poll(() => gone).toContain(silent.owner);
    expect(await living(other)).not.toContain(silent.owner);
  });

  it('takes the place of an earlier one in its state directory', async () => {
    const url = await postgres.create();
    const [other, earlier] = [await open(url), await open(url, { stateDirectory: 'here' })];
    const gone = signalsOf(other, 'gone');
    const later = await open(url, { stateDirectory: 'here' });
    await expect.poll(() => gone).toEqual([earlier.owner]);
    expect(await living(other)).toEqual([other.owner, later.owner].sort());
  });

  it('whose state directory another has taken does not come back, says so once, and refuses what it is asked', async () => {
    const url = await postgres.create();
    const lines: unknown[] = [];
    const log: Log = (level, message, fields) => {
      if (level === 'error') lines.push({ message, fields });
    };
    const earlier = await open(url, { stateDirectory: 'here', leaseMs: shortMs, log });
    const [later, other] = [await open(url, { stateDirectory: 'here' }), await open(url, { leaseMs: shortMs })];
    const reason = expect.stringMatching(
      /^process \d+ on .* has come later with the same state directory; stop this daemon/,
    );
    await expect.poll(() => lines).toEqual([{ message: 'this daemon uses the database no more', fields: { reason } }]);
    await expect(earlier.write((trx) => sql`select 1`.execute(trx))).rejects.toThrow('has come later');
    await expect(earlier.exclusively('x', async () => {})).rejects.toThrow('has come later');
    await nextBeats(other); // as often as the earlier one would say that it lives
    expect([await living(later), lines.length]).toEqual([[later.owner, other.owner].sort(), 1]);
  });

  it('whose state directory another has taken while it had no connection does not come back either', async () => {
    const url = await postgres.create();
    const lines: string[] = [];
    const log: Log = (_level, message) => void lines.push(message);
    await open(url, { stateDirectory: 'here', log });
    const later = await open(url, { stateDirectory: 'here' });
    await endFirstPresence(later);
    await expect.poll(() => lines).toContain('this daemon uses the database no more');
    expect([await living(later), lines]).toEqual([[later.owner], expect.not.arrayContaining(['the database is back'])]);
  });

  it('whose row was removed comes back if no other daemon has its state directory', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url, { leaseMs: shortMs })];
    await sql`delete from daemons where id = ${second.owner}`.execute(first.reads);
    await expect.poll(() => living(first)).toEqual([first.owner, second.owner].sort());
  });

  it('receives signals of others when their write commits, and no signal of one that fails', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url)];
    const received = [signalsOf(first, 'feed'), signalsOf(second, 'feed'), signalsOf(second, 'sampling')];
    await expect(
      first.write(async (trx) => {
        await first.signals.send(trx, 'feed', 'taken back');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await first.write((trx) => first.signals.send(trx, 'feed', "it's\ntwo lines ü"));
    await expect.poll(() => received).toEqual([["it's\ntwo lines ü"], ["it's\ntwo lines ü"], []]);
  });

  it('in another schema is another', async () => {
    const server = await postgres.server();
    const url = server.url(await server.createDatabase());
    const first = await open(url);
    await sql`create schema own`.execute(first.reads);
    const second = await open(`${url}?options=-c%20search_path%3Down`);
    const received = signalsOf(first, 'feed');
    await second.write((trx) => second.signals.send(trx, 'feed', 'theirs'));
    await first.write((trx) => first.signals.send(trx, 'feed', 'ours'));
    await expect.poll(() => received).toEqual(['ours']);
    expect([await living(first), await living(second)]).toEqual([[first.owner], [second.owner]]);
  });

  it('whose connection ends reconnects, and is notified that it may have missed signals', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url)];
    const received = signalsOf(first, 'feed');
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'portico, process%'`.execute(
      second.reads,
    );
    await expect.poll(() => received).toEqual([undefined]);
    await second.write((trx) => second.signals.send(trx, 'feed', 'again')).catch(() => {}); // it may not be back itself
    await expect
      .poll(async () => {
        await second.write((trx) => second.signals.send(trx, 'feed', 'again')).catch(() => {});
        return received;
      })
      .toContain('again');
  });
});

describe('daemons of another version', () => {
  it('are refused while one lives, and admitted when it has ended', async () => {
    const url = await postgres.create();
    const first = await open(url);
    await expect(open(url, { version: '2.0.0' })).rejects.toThrow(
      /^storage\.url: process \d+ on .* uses this database with version 1\.0\.0, and this is 2\.0\.0; stop the one, or start that version$/,
    );
    expect(await living(first)).toEqual([first.owner]);
    await first.close();
    opened.pop();
    await open(url, { version: '2.0.0' });
  });
});

describe('executions of several daemons', () => {
  const outcome = { response: '"done"', completedAtMs: 2000, expiresAtMs: 9_000_000_000_000 };

  it('are distinguished from those of ended daemons', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url)];
    const [one, two] = [createLedger(first), createLedger(second)];
    expect(await one.begin(intentOf())).toBeUndefined();
    expect(await two.begin(intentOf())).toMatchObject({ isElsewhere: true });
    expect(await two.get('ann', 'k-1', 0)).toMatchObject({ isElsewhere: true });
    expect((await one.get('ann', 'k-1', 0))?.isElsewhere).toBeUndefined();
    expect(await two.closeInterrupted(2000, 9000)).toEqual([]);
    await first.close();
    opened.shift();
    expect((await two.begin(intentOf()))?.isElsewhere).toBeUndefined();
    expect(await two.closeInterrupted(2000, 9000)).toHaveLength(1);
  });

  it('are waited for until they are completed, forgotten, or left behind', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url)];
    const [one, two] = [createLedger(first), createLedger(second)];
    for (const key of ['done', 'forgotten', 'left']) await one.begin(intentOf({ key }));
    const never = new AbortController().signal;
    const ended: string[] = [];
    const waits = ['done', 'forgotten', 'left'].map((key) =>
      two.untilEnded('ann', key, never).then(() => ended.push(key)),
    );
    await expect
      .poll(
        async () =>
          (await first.reads.selectFrom('executions').where('is_awaited', '=', 1).select('key').execute()).length,
      )
      .toBe(3);
    expect(ended).toEqual([]);
    await one.complete('ann', 'done', outcome);
    await waits[0];
    await one.forget('ann', 'forgotten');
    await waits[1];
    await first.close();
    opened.shift();
    await two.closeInterrupted(2000, 9000);
    await waits[2];
    expect(ended).toEqual(['done', 'forgotten', 'left']);
    await two.untilEnded('ann', 'no such key', never);
  });

  it('are waited for no longer than the signal says', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url)];
    await createLedger(first).begin(intentOf());
    const control = new AbortController();
    const waiting = createLedger(second).untilEnded('ann', 'k-1', control.signal);
    const reason = new Error('enough');
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('that their own daemon could not complete are closed by it, and waited for no longer', async () => {
    const { one, two, fail } = await beginAtOneOfTwo();
    fail(true);
    await expect(one.complete('ann', 'k-1', outcome)).rejects.toThrow('away');
    const waiting = two.untilEnded('ann', 'k-1', new AbortController().signal);
    fail(false);
    expect(await one.closeInterrupted(1500, 9_000_000_000_000)).toHaveLength(1);
    await waiting;
    expect(await two.get('ann', 'k-1', 0)).toMatchObject({ response: '{"ok":false}', completedAtMs: 1500 });
  });

  it('that failed while they could not be dropped are dropped afterwards, and no longer waited for', async () => {
    const { one, two, fail } = await beginAtOneOfTwo();
    fail(true);
    await expect(one.forget('ann', 'k-1')).rejects.toThrow('away');
    const waiting = two.untilEnded('ann', 'k-1', new AbortController().signal);
    fail(false);
    expect(await one.closeInterrupted(1500, 9_000_000_000_000)).toEqual([]);
    await waiting;
    expect(await two.begin(intentOf())).toBeUndefined();
  });

  it.each(['forget', 'begin'] as const)(
    'that %s has ended without an answer are distinguished from later ones of the same key',
    async (call) => {
      const database = await open(await postgres.create());
      let isLost = false;
      const write: typeof database.write = async (work, options) => {
        const result = await database.write(work, options);
        if (isLost) throw new Error('no answer');
        return result;
      };
      const ledger = createLedger({ ...database, write });
      if (call === 'forget') await ledger.begin(intentOf());
      isLost = true;
      await expect(call === 'begin' ? ledger.begin(intentOf()) : ledger.forget('ann', 'k-1')).rejects.toThrow(
        'no answer',
      );
      isLost = false;
      if (call === 'begin') await ledger.closeInterrupted(1500, 9_000_000_000_000);
      expect(await ledger.begin(intentOf({ createdAtMs: 2000 }))).toBeUndefined();
      expect(await ledger.closeInterrupted(2500, 9_000_000_000_000)).toEqual([]);
      expect(await ledger.get('ann', 'k-1', 0)).toMatchObject({ createdAtMs: 2000, completedAtMs: null });
    },
  );

  it('are waited for also while the store of who waits fails', async () => {
    const url = await postgres.create();
    const [first, second] = [await open(url), await open(url)];
    let isFailing = true;
    let signalRefused = () => {};
    const wasRefused = new Promise<void>((resolve) => {
      signalRefused = resolve;
    });
    const write: typeof second.write = (work, options) => {
      if (!isFailing) return second.write(work, options);
      signalRefused();
      return Promise.reject(new Error('away'));
    };
    await createLedger(first).begin(intentOf());
    let isOver = false;
    const waiting = createLedger({ ...second, write })
      .untilEnded('ann', 'k-1', new AbortController().signal)
      .then(() => {
        isOver = true;
      });
    await wasRefused;
    await second.ping();
    expect(isOver).toBe(false);
    isFailing = false;
    await createLedger(first).complete('ann', 'k-1', outcome);
    await waiting;
  });

  it('that were taken for cut off are not completed by a daemon that comes back', async () => {
    const url = await postgres.create();
    const first = await open(url, { leaseMs: shortMs });
    const ledger = createLedger(first);
    await ledger.begin(intentOf());
    await silence(first);
    const second = await open(url, { leaseMs: shortMs });
    const gone = signalsOf(second, 'gone');
    await expect.poll(() => gone).toContain(first.owner);
    expect(await createLedger(second).closeInterrupted(1500, 9_000_000_000_000)).toHaveLength(1);
    await expect(ledger.complete('ann', 'k-1', outcome)).rejects.toThrow('taken for cut off');
    await ledger.forget('ann', 'k-1');
    expect(await ledger.get('ann', 'k-1', 0)).toMatchObject({ response: '{"ok":false}', completedAtMs: 1500 });
  });
});
