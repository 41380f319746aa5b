// A state database as doctor finds it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openStateDatabase } from './database.js';
import { inspectPostgres, inspectStateDatabase } from './inspect-database.js';
import { freePort } from './testing/free-port.js';
import { createTempDirectories } from './testing/temp-directory.js';

const temp = createTempDirectories();

afterEach(() => temp.removeAll());

describe('a state database that is inspected', () => {
  it('is fine where it is whole, or not there yet, and stays as it was', async () => {
    const directory = await temp.create();
    expect(await inspectStateDatabase(directory)).toBeUndefined();
    await (await openStateDatabase(directory)).close();
    const before = await readFile(join(directory, 'state.db'));
    expect(await inspectStateDatabase(directory)).toBeUndefined();
    expect((await readFile(join(directory, 'state.db'))).equals(before)).toBe(true);
  });

  it.each([
    ['overwritten', (bytes: Buffer) => Buffer.alloc(bytes.length, 'no database ')],
    [
      'damaged in the middle',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 7)]),
    ],
  ])('is named with the reason where it is %s', async (_, damage) => {
    const directory = await temp.create();
    await (await openStateDatabase(directory)).close();
    const file = join(directory, 'state.db');
    await writeFile(file, damage(await readFile(file)));
    expect(await inspectStateDatabase(directory)).toContain(file);
  });
});

describe('a PostgreSQL database that is inspected', () => {
  it('is named with the reason where nothing answers, without the password', async () => {
    const url = `postgres://ann:s3cret@127.0.0.1:${await freePort()}/portico`;
    const reason = await inspectPostgres({ url, log: () => {} });
    expect(reason).toContain('127.0.0.1');
    expect(reason).not.toContain('s3cret');
  });
});
