// `npm run bench:sqlite`: what the ledger of a daemon does in a second over each SQLite driver that loads in this Node, and
// the processor time that it takes, which other programs on the machine change less. In alternating rounds.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '@portico/idempotency';
import { openStateDatabase } from '../../../packages/io/stores/src/database.js';
import { createLedger } from '../../../packages/io/stores/src/ledger.js';
import { betterSqlite3 } from '../../../packages/io/stores/src/sqlite/better-sqlite3.js';
import { nodeSqlite } from '../../../packages/io/stores/src/sqlite/node-sqlite.js';
import { intentOf } from '../../../packages/io/stores/src/testing/intent.js';
import { ratios, withSpread } from './statistics.js';

const rounds = 41;
/** Records that are there before, of a scope of their own. */
const kept = 2000;

let next = 0;
const begin = (ledger: Ledger) => ledger.begin(intentOf({ scope: 'new', key: `k-${next++}` }));

interface Work {
  readonly what: string;
  /** Operations of a round. */
  readonly count: number;
  readonly run: (ledger: Ledger) => Promise<unknown>;
}

const works: readonly Work[] = [
  {
    what: 'writes, one after the other',
    count: 100,
    async run(ledger) {
      for (let i = 0; i < 100; i++) await begin(ledger);
    },
  },
  ...[32, 256].map((inFlight) => ({
    what: `writes, ${inFlight} at a time`,
    count: inFlight * 8,
    async run(ledger: Ledger) {
      for (let i = 0; i < 8; i++) await Promise.all(Array.from({ length: inFlight }, () => begin(ledger)));
    },
  })),
  {
    what: 'reads of one record',
    count: 2000,
    async run(ledger) {
      for (let i = 0; i < 2000; i++) await ledger.get('kept', `k-${i % kept}`, 0);
    },
  },
  {
    what: 'records of lists of 1000',
    count: 5000,
    async run(ledger) {
      for (let i = 0; i < 5; i++) await ledger.list('kept', { limit: 1000, offset: 0 }, 0);
    },
  },
];

const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
try {
  const opened = [];
  for (const driver of [betterSqlite3, nodeSqlite]) {
    if ((await driver.load()).kind === 'missing') continue;
    const directory = mkdtempSync(join(folder, 'state-'));
    const database = await openStateDatabase(directory, { drivers: [driver] });
    const ledger = createLedger(database);
    const before = Array.from({ length: kept }, (_, i) => intentOf({ scope: 'kept', key: `k-${i}` }));
    await Promise.all(before.map((intent) => ledger.begin(intent)));
    opened.push({ name: driver.name, database, ledger });
  }
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}; ${rounds} rounds, median (least to most): operations a second, microseconds of processor time for each; both beside the first driver in the same round\n`,
  );
  for (const { what, count, run } of works) {
    const rates = opened.map(() => [] as number[]);
    const costs = opened.map(() => [] as number[]);
    for (let round = -1; round < rounds; round++) {
      for (const index of round % 2 === 0 ? opened.keys() : [...opened.keys()].reverse()) {
        const { ledger } = opened[index] ?? {};
        if (ledger === undefined) continue;
        const startMs = performance.now();
        const before = process.cpuUsage();
        await run(ledger);
        const perSecond = (count / (performance.now() - startMs)) * 1000;
        const { user, system } = process.cpuUsage(before);
        if (round < 0) continue; // it warms up
        rates[index]?.push(perSecond);
        costs[index]?.push((user + system) / count);
      }
    }
    process.stdout.write(`${what}\n`);
    for (const [index, { name }] of opened.entries()) {
      const [rate = [], cost = []] = [rates[index], costs[index]];
      const beside = [ratios(rate, rates[0] ?? []), ratios(cost, costs[0] ?? [])].map((each) => withSpread(each, 2));
      process.stdout.write(
        `  ${name.padEnd(16)} ${withSpread(rate)}, ${beside[0]};  ${withSpread(cost, 1)} us, ${beside[1]}\n`,
      );
    }
  }
  for (const { database } of opened) await database.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
