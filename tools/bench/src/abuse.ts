// `npm run bench:abuse -- [--at-once N] [name part…]`: what one caller and one server do on purpose, each for three seconds,
// while another caller calls a plain tool every 20 ms: how long that one waits, and how long the event loop of the daemon
// stood still. N requests are sent at a time, 1 by default.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nullStdioPath } from '../../fixtures/src/paths.js';
import { type Abuse, abuses, hostileTools } from './abuse/abuses.js';
import { type Sent, send, sendFor, sendSteadily } from './abuse/repeat.js';
import { readMetrics, startPortico } from './portico.js';
import { percentile } from './statistics.js';

const abusedMs = 3000;
const everyMs = 20;
/** Maximum delay of another caller, p99. */
const targetMs = 250;

const hostile = join(dirname(fileURLToPath(import.meta.url)), 'upstreams/hostile.mjs');
const plain = Buffer.from(JSON.stringify({ capability_id: 'plain.null_call', args: {} }));

async function measure(port: number, { path, body }: Abuse) {
  const request = { port, path, body: Buffer.from(JSON.stringify(body)) };
  const other = { port, path: '/v1/tools/call', body: plain };
  await readMetrics(port); // what was before does not count
  const over = new AbortController();
  const steady = sendSteadily(other, everyMs, over.signal);
  const sent = await sendFor(request, abusedMs, atOnce);
  over.abort();
  const waits = await steady;
  if (waits.some(({ status }) => status !== 200)) throw new Error('the other caller was refused');
  const metric = await readMetrics(port);
  return { sent, waitsMs: waits.map(({ ms }) => ms), loopMs: metric('nodejs_eventloop_lag_max_seconds') * 1000 };
}

function statuses(sent: readonly Sent[]): string {
  const counts = new Map<number, number>();
  for (const { status } of sent) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
}

async function report(port: number, abuse: Abuse): Promise<boolean> {
  const { sent, waitsMs, loopMs } = await measure(port, abuse);
  const [p50, p99, most] = [0.5, 0.99, 1].map((fraction) => percentile(waitsMs, fraction));
  const columns = [p50, p99, most, loopMs].map((ms) => (ms ?? Number.NaN).toFixed(0).padStart(6));
  const isMet = (p99 ?? Number.NaN) < targetMs;
  process.stdout.write(
    `${abuse.name.padEnd(30)}${columns.join('')}  ${isMet ? 'met   ' : 'MISSED'}  ${statuses(sent)}\n`,
  );
  return isMet;
}

const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: { 'at-once': { type: 'string', default: '1' } },
});
const atOnce = Number(values['at-once']);
if (!Number.isInteger(atOnce) || atOnce < 1) throw new Error('--at-once is a whole number from 1');
const chosen = abuses.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
const folder = mkdtempSync(join(tmpdir(), 'portico-abuse-'));
const toolsFile = join(folder, 'tools.json');
writeFileSync(toolsFile, JSON.stringify({ tools: hostileTools }));
const node = (...args: string[]) => ({ command: process.execPath, args });
const daemon = await startPortico(folder, {
  mcpServers: { h: node(hostile, toolsFile), plain: node(nullStdioPath) },
});
try {
  const warm = { port: daemon.port, path: '/v1/tools/call', body: plain };
  for (let round = 0; round < 50; round += 1) await Promise.all(Array.from({ length: 16 }, () => send(warm)));
  process.stdout.write(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}
The wait of another caller in ms, and the longest delay of the daemon's event loop; p99 under ${targetMs} ms is wanted
${''.padEnd(30)}   p50   p99   max  loop\n`);
  let missed = 0;
  for (const abuse of chosen) if (!(await report(daemon.port, abuse))) missed += 1;
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
}
