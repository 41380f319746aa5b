// `npm run bench:audit [records]`: what the audit log costs: verification beside a bare SHA-256 over the same bytes,
// appends buffered and strict, and queries over a million records.
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type AuditFile, openAuditFile, openStateDatabase, type StateDatabase, verifyFile } from '@portico/stores';
import { createDrafts, writeLog } from './audit-drafts.js';

const count = Number(process.argv[2] ?? 1_000_000);
const appends = 100_000;
const { draftOf, startMs } = createDrafts(count);
const clock = {
  epochMs: () => Date.now(),
  after(ms: number, run: () => void) {
    const timer = globalThis.setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

async function timed<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const start = performance.now();
  const result = await run();
  return { ms: performance.now() - start, result };
}

async function bareSha256(file: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 64 * 1024 })) hash.update(chunk);
  hash.digest('hex');
}

/** The most memory that the process has had while something ran, over what it had before. */
async function withMemory<T>(run: () => Promise<T>): Promise<{ readonly growthMiB: number; readonly result: T }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const result = await run();
  clearInterval(timer);
  return { growthMiB: (Math.max(most, process.memoryUsage.rss()) - before) / 2 ** 20, result };
}

const open = (directory: string, file: string, database: StateDatabase, isStrict: boolean) =>
  openAuditFile({
    file,
    stateDirectory: directory,
    database,
    isStrict,
    clock,
    bufferCapacity: 10_000,
    flushIntervalMs: 250,
    maxBatchSize: 100,
    log: (level, message, fields) => {
      if (level !== 'info') console.log(level, message, fields);
    },
  });

async function benchVerify(file: string): Promise<void> {
  const bytes = statSync(file).size;
  await bareSha256(file);
  const bare = await timed(() => bareSha256(file));
  const verified = await timed(() => withMemory(() => verifyFile(file)));
  const { growthMiB, result } = verified.result;
  if (!result.is_valid) throw new Error(result.details);
  console.log(`file              ${(bytes / 2 ** 20).toFixed(0)} MiB, ${(bytes / count).toFixed(0)} bytes a record`);
  console.log(`bare SHA-256      ${bare.ms.toFixed(0)} ms, ${(bytes / 2 ** 20 / (bare.ms / 1000)).toFixed(0)} MiB/s`);
  console.log(`verify            ${verified.ms.toFixed(0)} ms, ${((count / verified.ms) * 1000).toFixed(0)} records/s`);
  console.log(
    `  of bare SHA-256 ${(verified.ms / bare.ms).toFixed(1)} times as long; memory grew by ${growthMiB.toFixed(0)} MiB`,
  );
}

async function benchQueries(log: AuditFile): Promise<void> {
  const page = { limit: 50, offset: 0 };
  const queries: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['list, no filter', () => log.list({}, page)],
    ['list, offset 500000', () => log.list({}, { limit: 50, offset: 500_000 })],
    ['list, capability', () => log.list({ capability_id: 'server-7.tool_7' }, page)],
    ['list, actor+status', () => log.list({ actor_id: 'agent-0', status: 'failed' }, page)],
    ['list, one hour', () => log.list({ start_ms: startMs + 3_600_000, end_ms: startMs + 7_200_000 }, page)],
    ['list, trace', () => log.list({ trace_id: draftOf(1234).trace_id }, page)],
    ['list, q', () => log.list({ q: 'file-1234.TXT' }, page)],
    ['stats', () => log.stats()],
    ['get', () => log.get('aud-000000001234')],
    ['after', () => log.after(1234, { maxRecords: 100, maxCharacters: 1_000_000 })],
  ];
  for (const [name, run] of queries) {
    await run();
    const stall = watchLoop();
    const { ms } = await timed(run);
    console.log(`${name.padEnd(20)} ${ms.toFixed(1)} ms, event loop held for ${(await stall()).toFixed(1)} ms at most`);
  }
}

/** The returned function gives the longest time for which nothing else had its turn. */
function watchLoop(): () => Promise<number> {
  let last = performance.now();
  let longest = 0;
  let isOver = false;
  const turn = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return async () => {
    isOver = true;
    await setTimeout(1);
    return longest;
  };
}

async function benchAppends(directory: string, database: StateDatabase): Promise<void> {
  for (const isStrict of [false, true]) {
    const log = await open(directory, join(directory, `appends-${isStrict}.jsonl`), database, isStrict);
    const callers = isStrict ? 100 : 10;
    const total = isStrict ? appends / 5 : appends;
    const { ms } = await timed(() =>
      Promise.all(
        Array.from({ length: callers }, async (_, caller) => {
          for (let i = caller; i < total; i += callers) await (await log.begin()).end(draftOf(i));
        }),
      ),
    );
    const rate = ((total / ms) * 1000).toFixed(0);
    console.log(`${isStrict ? 'strict' : 'buffered'} appends`.padEnd(20), `${rate} a second, ${callers} callers`);
    await log.close();
  }
}

const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'));
try {
  const file = join(directory, 'audit.jsonl');
  console.log(`${count} records; Node ${process.version}, ${cpus()[0]?.model}`);
  const written = await timed(() => writeLog(file, count, draftOf));
  console.log(`seal and write    ${((count / written.ms) * 1000).toFixed(0)} records/s`);
  await benchVerify(file);
  const database = await openStateDatabase(directory);
  const opened = await timed(() => open(directory, file, database, false));
  const log = opened.result;
  console.log(`open              ${opened.ms.toFixed(0)} ms, without an index`);
  const built = await timed(async () => {
    for (;;) {
      const isBuilt = await log.get('aud-000000000001').then(
        () => true,
        () => false,
      );
      if (isBuilt) return;
    }
  });
  console.log(`index             built in ${(built.ms / 1000).toFixed(1)} s`);
  await benchQueries(log);
  await log.close();
  await benchAppends(directory, database);
  await database.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
