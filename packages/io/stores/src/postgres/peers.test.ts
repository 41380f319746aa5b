// Requests of one daemon to another over the database: executed once, answered, and abandoned when the other ends.
import type { JsonObject } from '@portico/contracts';
import { PeerUnresponsive } from '@portico/control-plane';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StateDatabase } from '../database.js';
import { createPostgresDatabases, noLog, startLimitMs } from '../testing/postgres-databases.js';
import { silence } from '../testing/silence.js';
import { createPeers } from './peers.js';

const postgres = createPostgresDatabases();
const stops: (() => void)[] = [];

beforeAll(postgres.start, startLimitMs);
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await postgres.closeAll();
});
afterAll(() => postgres.close());

async function openTwo() {
  const url = await postgres.create();
  const databases = [await postgres.open(url), await postgres.open(url)] as const;
  const [first, second] = databases.map((database) => createPeers(database, noLog));
  if (first === undefined || second === undefined) throw new Error('there are two');
  return { databases, first, second, ids: databases.map(({ owner }) => owner) as [string, string] };
}

describe('peers', () => {
  it('are the others that live', async () => {
    const { first, second, ids } = await openTwo();
    expect([await first.others(), await second.others()]).toEqual([[ids[1]], [ids[0]]]);
  });

  it('execute a request of any size once, and answer', async () => {
    const { first, second, databases, ids } = await openTwo();
    const asked: JsonObject[] = [];
    stops.push(
      second.serve(async (command) => {
        asked.push(command);
        return { got: String(command.text).length };
      }),
    );
    const texts = ['', 'x'.repeat(100_000), 'ü\u0000'];
    const answers = await Promise.all(texts.map((text) => first.ask(ids[1], { text })));
    expect(answers).toEqual([{ got: 0 }, { got: 100_000 }, { got: 2 }]);
    expect(asked).toHaveLength(3);
    expect(await databases[0].reads.selectFrom('errands').selectAll().execute()).toEqual([]);
  });

  it('look again until they could read what they are asked, and answer until that could be written', async () => {
    const { first, databases, ids } = await openTwo();
    const { reads, write } = databases[1];
    const failures = { reads: 0, writes: 0 };
    const failing: StateDatabase = {
      ...databases[1],
      reads: new Proxy(reads, {
        get(target, name) {
          if (failures.reads++ < 2) throw new Error('the connection has ended');
          return Reflect.get(target, name).bind(target);
        },
      }),
      write: (...given) => (failures.writes++ < 1 ? Promise.reject(new Error('it has ended')) : write(...given)),
    };
    let times = 0;
    stops.push(
      createPeers(failing, noLog).serve(async () => {
        times += 1;
        return { done: true };
      }),
    );
    expect(await first.ask(ids[1], {})).toEqual({ done: true });
    expect([times, failures.writes]).toEqual([1, 2]);
  });

  it('do the rest where something that they are asked cannot be read', async () => {
    const { first, second, databases, ids } = await openTwo();
    const odd = { id: '0', daemon: ids[1], request: 'no json', answer: null, expires_at_ms: Date.now() + 60_000 };
    await databases[0].write((trx) => trx.insertInto('errands').values(odd).execute());
    const asked = first.ask(ids[1], {});
    const open = async () => (await databases[0].reads.selectFrom('errands').select('id').execute()).length;
    await expect.poll(open).toBe(2);
    stops.push(second.serve(async () => ({ done: true })));
    expect(await asked).toEqual({ done: true });
  });

  it('are not asked where they do not live', async () => {
    const { first } = await openTwo();
    await expect(first.ask('nobody', {})).rejects.toThrow(PeerUnresponsive);
  });

  it('are not waited for after they have ended', async () => {
    const { first, second, databases, ids } = await openTwo();
    stops.push(second.serve(() => new Promise(() => {})));
    const asked = first.ask(ids[1], {});
    asked.catch(() => {});
    await expect
      .poll(async () => (await databases[0].reads.selectFrom('errands').select('id').execute()).length)
      .toBe(1);
    await silence(databases[1]); // else it comes back when it says next that it lives
    await databases[0].write((trx) => trx.deleteFrom('daemons').where('id', '=', ids[1]).execute());
    await expect(asked).rejects.toThrow('it has ended, or has been silent for too long');
  });
});
