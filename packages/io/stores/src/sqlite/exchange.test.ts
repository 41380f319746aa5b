// A state database belongs to no driver: what a process has written with one, another process reads with any.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
/** Another Node, whose driver may be another: `npm run test:nodes` gives that of `npm test`. */
const otherNodes = process.env.PORTICO_OTHER_NODE === undefined ? [] : [process.env.PORTICO_OTHER_NODE];
const pairs = drivers.flatMap((writer) => drivers.map((reader) => ({ writer, reader })));

const script = (name: string) => fileURLToPath(new URL(`../testing/${name}.ts`, import.meta.url));

/** A process that begins an execution and is killed once that is durable. Gives the name of its driver. */
async function beginAndBeKilled(node: string, directory: string, driver?: string): Promise<string> {
  const args = [directory, ...(driver === undefined ? [] : [driver])];
  const child = spawn(node, ['--import', 'tsx', script('begin-and-stay'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [name] = await Promise.race([once(child.stdout, 'data'), endedEarly(child)]);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  expect(await gone).toEqual([null, 'SIGKILL']);
  return String(name).trim();
}

async function endedEarly(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`the writing process ended with ${code}`);
}

describe.each(pairs)('a state that $writer.name has written and $reader.name reads', ({ writer, reader }) => {
  const openToRead = (directory: string) => temp.openDatabase(directory, { drivers: [reader.driver] });

  it('has a record whose begin had resolved when the process was killed', async () => {
    const directory = await temp.create();
    expect(await beginAndBeKilled(process.execPath, directory, writer.name)).toBe(writer.name);
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

describe.each(otherNodes)('a state that is shared with %s', (node) => {
  it.each(drivers)('is read there when $name has written it in a process that was killed', async ({ name }) => {
    const directory = await temp.create();
    await beginAndBeKilled(process.execPath, directory, name);
    const { stdout } = await promisify(execFile)(node, ['--import', 'tsx', script('read-record'), directory]);
    expect(JSON.parse(stdout)).toEqual(recordOf(intentOf()));
  });

  it.each(drivers)('is read by $name when it was written there by a process that was killed', async ({ driver }) => {
    const directory = await temp.create();
    await beginAndBeKilled(node, directory);
    const ledger = createLedger(await temp.openDatabase(directory, { drivers: [driver] }));
    expect(await ledger.get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
  });
});
