// `npm run bench:explain [records] [memory|file|postgres]`: how long a daemon takes to explain one call of a log of a million records, by each kind
// of id, over HTTP, with the log in a file and in PostgreSQL, and how long a log in memory looks for one.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditDraft, recordId } from '@portico/audit-chain';
import { createMemoryAuditLog } from '@portico/control-plane';
import { openPostgresAudit, openPostgresDatabase } from '@portico/stores';
import { openPostgresServer } from '../../../packages/io/stores/src/testing/postgres-server.js';
import { createDrafts, writeLog } from './audit-drafts.js';
import { askJson, startAlone, until } from './portico.js';
import type { Running } from './processes.js';
import { percentile } from './statistics.js';

const count = Number(process.argv[2] ?? 1_000_000);
/** `memory`, `file` or `postgres`; all three where it is not given. */
const only = process.argv[3];
const asked = 200;
const drafts = createDrafts(count);

/** Some calls waited for a person, some had a key and were repeated. */
const draftOf = (i: number): AuditDraft => {
  const draft = drafts.draftOf(i);
  if (i % 50 === 7) return { ...draft, status: 'denied', event_type: 'approval_rejected', approval_id: `appr-${i}-1` };
  if (i % 50 === 13) return { ...draft, idempotency_key: `key-${i}` };
  if (i % 50 === 14) {
    const { capability_id, actor_id } = drafts.draftOf(i - 1);
    const ofFirst = { capability_id, actor_id, idempotency_key: `key-${i - 1}` };
    return { ...draft, ...ofFirst, event_type: 'idempotent_replay', is_replay: true };
  }
  return draft;
};

type IdOf = (i: number) => string;

const idsIn = (chainId?: string): Readonly<Record<string, { readonly idOf: IdOf; readonly rest: number }>> => ({
  trace: { idOf: (i) => draftOf(i).trace_id ?? '', rest: 1 },
  request: { idOf: (i) => `req-${i}`, rest: 1 },
  approval: { idOf: (i) => `appr-${i}-1`, rest: 7 },
  record: { idOf: (i) => recordId(i + 1, chainId), rest: 1 },
  'replay, by its request': { idOf: (i) => `req-${i}`, rest: 14 },
  'an id that no record has': { idOf: (i) => `none-${i}`, rest: 1 },
});

/** Explains calls that are spread over the whole log, one after the other. */
async function measure(port: number, what: string, chainId?: string): Promise<void> {
  for (const [kind, { idOf, rest }] of Object.entries(idsIn(chainId))) {
    const took: number[] = [];
    for (let n = 0; n < asked; n++) {
      const i = Math.floor((((n * 7919) % asked) * (count / asked)) / 50) * 50 + rest;
      const address = `http://127.0.0.1:${port}/v1/traces/${encodeURIComponent(idOf(i))}/explain`;
      const start = performance.now();
      const answer = await fetch(address);
      await answer.text();
      took.push(performance.now() - start);
      if (answer.ok === (kind === 'an id that no record has')) throw new Error(`${kind} ${idOf(i)}: ${answer.status}`);
    }
    report(what, kind, took);
  }
}

function report(what: string, kind: string, took: readonly number[]): void {
  const [p50, p95] = [percentile(took, 0.5), percentile(took, 0.95)];
  console.log(`${what.padEnd(12)} ${kind.padEnd(26)} p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`);
}

async function withDaemon(folder: string, config: object, use: (daemon: Running) => Promise<void>): Promise<void> {
  const daemon = await startAlone(folder, { mcpServers: {}, ...config });
  try {
    const started = performance.now();
    await until('the index is built', () => askJson(daemon.port, '/v1/audit/events?limit=1').then(...isSettled));
    console.log(`index ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    await use(daemon);
  } finally {
    await daemon.stop();
  }
}

const isSettled = [() => true, () => false] as const;

async function inFile(folder: string): Promise<void> {
  mkdirSync(folder);
  const filePath = join(folder, 'audit.jsonl');
  await writeLog(filePath, count, draftOf);
  const config = { audit: { filePath } };
  await withDaemon(folder, config, ({ port }) => measure(port, 'file'));
  await withDaemon(folder, config, ({ port }) => measure(port, 'file, again'));
}

async function inPostgres(folder: string): Promise<void> {
  const server = await openPostgresServer();
  try {
    const url = server.url(await server.createDatabase());
    const chainId = 'b'.repeat(32);
    await fill(url, chainId, folder);
    await withDaemon(folder, { storage: { url } }, ({ port }) => measure(port, 'PostgreSQL', chainId));
  } finally {
    await server.close();
  }
}

async function fill(url: string, chainId: string, folder: string): Promise<void> {
  mkdirSync(folder);
  const database = await openPostgresDatabase({ url, log: console.error, version: '0', stateDirectory: chainId });
  const log = await openPostgresAudit({
    database,
    chainId,
    stateDirectory: folder,
    isStrict: false,
    bufferCapacity: 10_000,
    flushIntervalMs: 250,
    maxBatchSize: 1000,
    log: () => {},
    clock: {
      epochMs: () => Date.now(),
      after(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    },
  });
  for (let i = 0; i < count; i++) await (await log.begin()).end(draftOf(i));
  await log.close();
  await database.close();
}

async function inMemory(): Promise<void> {
  const log = createMemoryAuditLog({ capacity: count, epochMs: () => Date.now() });
  for (let i = 0; i < count; i++) await log.append(draftOf(i));
  const kept = log.kept();
  console.log(`in memory, the newest ${kept.length} records`);
  for (const kind of ['request_id', 'trace_id'] as const) {
    const took: number[] = [];
    for (let n = 0; n < asked; n++) {
      const id = kept[Math.floor((n * kept.length) / asked)]?.[kind];
      const start = performance.now();
      const { total } = await log.list({ [kind]: id }, { limit: 50, offset: 0 });
      took.push(performance.now() - start);
      if (total !== 1) throw new Error(`${kind} ${id}: ${total} records`);
    }
    report('memory', `${kind}, lookup only`, took);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'));
try {
  console.log(`${count} records, ${asked} explanations of each kind; Node ${process.version}, ${cpus()[0]?.model}`);
  for (const [kind, run] of Object.entries({ memory: inMemory, file: inFile, postgres: inPostgres }))
    if (only === undefined || only === kind) await run(join(directory, kind));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
