// Executions whose end could not be written while the database was away, however many they are.
import { expect, it } from 'vitest';
import type { StateDatabase } from './database.js';
import { createLedger } from './ledger.js';
import { intentOf } from './testing/intent.js';
import { useDatabases } from './testing/use-databases.js';

const { postgres, sqlites } = await useDatabases();
const outcome = { response: '"done"', completedAtMs: 2000, expiresAtMs: 9000 };

/** More than a statement of the database takes. */
const databases: readonly (readonly [string, number, () => Promise<StateDatabase>])[] = [
  ...sqlites.map(({ name, open }) => [name, 2000, () => open()] as const),
  ['PostgreSQL', 25_000, () => postgres.open()],
];

it.each(databases)('ends in %s all of %i that could not be completed or forgotten', async (_where, count, open) => {
  const database = await open();
  let isFailing = false;
  const write: StateDatabase['write'] = (work, options) =>
    isFailing ? Promise.reject(new Error('away')) : database.write(work, options);
  const ledger = createLedger({ ...database, signals: { ...database.signals, isShared: true }, write });
  const keys = ['first', ...Array.from({ length: count }, (_, i) => `k-${i}`), 'last'];
  for (const scope of ['sent', 'free']) {
    for (const key of ['first', 'last', 'goes on']) await ledger.begin(intentOf({ scope, key }));
  }
  isFailing = true;
  for (const key of keys) {
    await ledger.complete('sent', key, outcome).catch(() => {});
    await ledger.forget('free', key).catch(() => {});
  }
  isFailing = false;
  const closed = await ledger.closeInterrupted(3000, 9000);
  expect(closed.map(({ key }) => key)).toEqual(['first', 'last']);
  const left = [...(await ledger.list('sent', page, 0)), ...(await ledger.list('free', page, 0))];
  expect(left.map(({ key, completedAtMs }) => [key, completedAtMs])).toEqual([
    ['goes on', null],
    ['last', 3000],
    ['first', 3000],
    ['goes on', null],
  ]);
});

const page = { limit: 10, offset: 0 };
