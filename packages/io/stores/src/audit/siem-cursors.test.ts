// How far each target has the records of each log: it is kept, and never goes back.
import { describe, expect, it } from 'vitest';
import type { StateDatabase } from '../database.js';
import { useDatabases } from '../testing/use-databases.js';
import { createSiemCursors } from './siem-cursors.js';

const { temp, postgres, sqlites } = await useDatabases();

const databases: readonly (readonly [string, () => Promise<StateDatabase>])[] = [
  ...sqlites.map(({ name, open }) => [name, () => open()] as const),
  ['PostgreSQL', () => postgres.open()],
];

it.each(sqlites)('is known for each target and log in $name, over restarts', async ({ open }) => {
  const directory = await temp.create();
  const database = await open(directory);
  const [one, other] = [createSiemCursors(database, '/log'), createSiemCursors(database, '/other')];
  expect(await one.get('splunk')).toBe(0);
  await Promise.all([one.set('splunk', 5), one.set('hook', 7), other.set('splunk', 9)]);
  await database.close();
  const again = await open(directory);
  const cursors = createSiemCursors(again, '/log');
  expect([await cursors.get('splunk'), await cursors.get('hook')]).toEqual([5, 7]);
  expect(await createSiemCursors(again, '/other').get('splunk')).toBe(9);
});

describe.each(databases)('a cursor in %s', (_where, open) => {
  it('never goes back', async () => {
    const cursors = createSiemCursors(await open(), '/log');
    await Promise.all([cursors.set('hook', 9), cursors.set('hook', 4)]);
    expect(await cursors.get('hook')).toBe(9);
  });

  it('goes back where the log has lost what it counts, and only in that log', async () => {
    const database = await open();
    const [one, other] = [createSiemCursors(database, '/log'), createSiemCursors(database, '/other')];
    await Promise.all([one.set('hook', 9), one.set('splunk', 3), other.set('hook', 9)]);
    await one.lowerTo(5);
    expect([await one.get('hook'), await one.get('splunk'), await other.get('hook')]).toEqual([5, 3, 9]);
  });
});
