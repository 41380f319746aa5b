// A state database belongs to no driver: what a process has written with one, another process reads with any.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createLedger } from '../ledger.js';
import { intentOf, recordOf } from '../testing/intent.js';
import { usableDrivers } from '../testing/sqlite-drivers.js';
import { createTempDirectories } from '../testing/temp-directory.js';
import { createVectorStore } from '../vectors.js';

const temp = createTempDirectories();
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await temp.removeAll();
});

const drivers = await usableDrivers();
const pairs = drivers.flatMap((writer) => drivers.map((reader) => ({ writer, reader })));

describe.each(pairs)('a state that $writer.name has written and $reader.name reads', ({ writer, reader }) => {
  const openToRead = (directory: string) => temp.openDatabase(directory, { drivers: [reader.driver] });

  it('has a record whose begin had resolved when the process was killed', async () => {
    const directory = await temp.create();
    const script = fileURLToPath(new URL('../testing/begin-and-stay.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, directory, writer.name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('begun\n');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect((await readdir(directory)).sort()).toEqual(['state.db', 'state.db-shm', 'state.db-wal']);
    const ledger = createLedger(await openToRead(directory));
    expect(await ledger.get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
  });

  it('has what was there when it was closed', async () => {
    const directory = await temp.create();
    const database = await temp.openDatabase(directory, { drivers: [writer.driver] });
    const vector = { digest: 'd', vector: Float32Array.from([0.1, -2.5e-8, 3e20]) };
    await createLedger(database).begin(intentOf());
    await createVectorStore(database).save('m', [vector], 1_760_000_000_123);
    await database.close();
    expect(await readdir(directory)).toEqual(['state.db']);
    const again = await openToRead(directory);
    expect(await createLedger(again).get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
    expect(await createVectorStore(again).load('m', ['d'])).toEqual([vector]);
  });

  it('is used by both at a time', async () => {
    const directory = await temp.create();
    const one = createLedger(await temp.openDatabase(directory, { drivers: [writer.driver] }));
    const other = createLedger(await openToRead(directory));
    const keys = Array.from({ length: 40 }, (_, i) => `k-${i}`);
    await Promise.all(keys.map((key, i) => (i % 2 === 0 ? one : other).begin(intentOf({ key }))));
    const page = { limit: 100, offset: 0 };
    expect((await one.list('ann', page, 0)).map(({ key }) => key).sort()).toEqual([...keys].sort());
    expect(await other.list('ann', page, 0)).toEqual(await one.list('ann', page, 0));
  });
});
