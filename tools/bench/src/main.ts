// `npm run bench`: what Portico adds to a call, beside a direct call and a bare Hono echo, measured in alternating rounds.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullStdioPath } from '../../fixtures/src/paths.js';
import { root, startPortico } from './portico.js';
import { type DirectUpstream, type Running, startDirect, startServer } from './processes.js';
import { runLoad, type Target } from './raw-http-client.js';
import { median, percentile, withSpread } from './statistics.js';

const rounds = 5;
const sequentialCalls = 2000;
const parallelCalls = 12_000;
const call = { capability_id: 'null.null_call', args: {} };
const body = JSON.stringify(call);
let keys = 0;
/** Every call under a key of its own: an intent and an outcome on disk. */
const keyedBody = () => JSON.stringify({ ...call, idempotency_key: `bench-${keys++}` });
/** Every call under one key: stored answers, all but the first. */
const replayBody = JSON.stringify({ ...call, idempotency_key: 'bench-replay' });

interface Round {
  readonly directUs: number;
  readonly porticoUs: number;
  readonly perSecond: Record<string, number>;
  readonly p99Us: Record<string, number>;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const running: { stop: () => Promise<void> }[] = [];
  try {
    const mcpServers = { null: { command: process.execPath, args: [nullStdioPath] } };
    const daemon = await startPortico(folder, { mcpServers });
    running.push(daemon);
    const echo = await startServer([join(root, 'tools/bench/src/hono-echo.mjs')]);
    running.push(echo);
    const direct = await startDirect(nullStdioPath, 'null_call');
    running.push(direct);
    report(await measure(daemon, echo, direct));
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(daemon: Running, echo: Running, direct: DirectUpstream): Promise<Round[]> {
  const calls: Target = { port: daemon.port, path: '/v1/tools/call', body, expect: '"ok":true' };
  const echoes: Target = { port: echo.port, path: '/echo', body, expect: '"capability_id"' };
  const keyed: Target = { ...calls, body: keyedBody };
  const replays: Target = { ...calls, body: replayBody };
  for (const target of [calls, echoes, keyed, replays]) await runLoad(target, 32, parallelCalls); // warm up

  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const directUs = median(await timeDirect(direct));
    const porticoUs = median((await runLoad(calls, 1, sequentialCalls)).latenciesUs);
    const perSecond: Record<string, number> = {};
    const p99Us: Record<string, number> = {};
    for (const inFlight of [32, 256]) {
      for (const [name, target] of [
        ['portico', calls],
        ['echo', echoes],
        ['keyed', keyed],
        ['replay', replays],
      ] as const) {
        const { latenciesUs, seconds } = await runLoad(target, inFlight, parallelCalls);
        perSecond[`${name} ${inFlight}`] = parallelCalls / seconds;
        p99Us[`${name} ${inFlight}`] = percentile(latenciesUs, 0.99);
      }
    }
    measured.push({ directUs, porticoUs, perSecond, p99Us });
  }
  return measured;
}

async function timeDirect({ call }: DirectUpstream): Promise<Float64Array> {
  const latencies = new Float64Array(sequentialCalls);
  for (let i = 0; i < sequentialCalls; i++) {
    const sentAt = performance.now();
    await call();
    latencies[i] = (performance.now() - sentAt) * 1000;
  }
  return latencies;
}

function report(measured: readonly Round[]): void {
  const all = (pick: (round: Round) => number) => measured.map(pick);
  const rate = (name: string) => all(({ perSecond }) => perSecond[name] ?? Number.NaN);
  const p99Ms = (name: string) => all(({ p99Us }) => (p99Us[name] ?? Number.NaN) / 1000);
  const ratio = (name: string, base: string, inFlight: number) =>
    all(
      ({ perSecond }) =>
        (perSecond[`${name} ${inFlight}`] ?? Number.NaN) / (perSecond[`${base} ${inFlight}`] ?? Number.NaN),
    );
  const lines = [
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}; ${rounds} alternating rounds, median (least to most)`,
    '',
    'POST /v1/tools/call to a null stdio upstream, one at a time (p50, microseconds)',
    `  direct call over the pipe      ${withSpread(all(({ directUs }) => directUs))}`,
    `  through Portico                ${withSpread(all(({ porticoUs }) => porticoUs))}`,
    `  added                          ${withSpread(all(({ directUs, porticoUs }) => porticoUs - directUs))}`,
    ...[32, 256].flatMap((inFlight) => [
      '',
      `${inFlight} in flight (calls per second; p99 in milliseconds)`,
      `  bare Hono JSON echo            ${withSpread(rate(`echo ${inFlight}`))};  p99 ${withSpread(p99Ms(`echo ${inFlight}`), 1)}`,
      `  /v1/tools/call                 ${withSpread(rate(`portico ${inFlight}`))};  p99 ${withSpread(p99Ms(`portico ${inFlight}`), 1)}`,
      `  ratio                          ${withSpread(ratio('portico', 'echo', inFlight), 2)}`,
      `  with a key of its own          ${withSpread(rate(`keyed ${inFlight}`))};  p99 ${withSpread(p99Ms(`keyed ${inFlight}`), 1)}`,
      `  beside no key                  ${withSpread(ratio('keyed', 'portico', inFlight), 2)}`,
      `  replays of one key             ${withSpread(rate(`replay ${inFlight}`))};  p99 ${withSpread(p99Ms(`replay ${inFlight}`), 1)}`,
      `  beside no key                  ${withSpread(ratio('replay', 'portico', inFlight), 2)}`,
    ]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

await main();
