// `npm run bench:builds -- OTHER_CHECKOUT [--only stdio,replay] [--rounds N]`: the CPU time that the daemon built here
// takes for a request, beside the one built in another checkout, in alternating rounds. The time that a process was on
// a core, as it reports itself: a busy machine shows in it far less than in durations.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpUpstreamPath } from '../../fixtures/src/paths.js';
import { isOk, nullCall, nullServer } from './bench.js';
import { readOptions } from './options.js';
import { askJson, cpuUsOf, root, startPortico } from './portico.js';
import { type Running, startServer } from './processes.js';
import { runLoad, type Target } from './raw-http-client.js';
import { manyToolsServers } from './scenarios/many-tools.js';
import { modernHttp } from './scenarios/mcp-faces.js';
import { ratios, withSpread } from './statistics.js';

interface Comparison {
  readonly inFlight: number;
  readonly total: number;
  /** The upstream of both, where it has to be started first. */
  readonly upstream?: () => Promise<Running>;
  readonly config: (upstreamPort: number) => object;
  readonly target: (port: number, mcpPort: number) => Promise<Target>;
  /** The build here enforces a lock of all that is listed; the one there has none. With the same checkout twice, that is the cost. */
  readonly isLockedHere?: true;
}

const call = async (port: number): Promise<Target> => ({ port, path: '/v1/tools/call', body: nullCall, expect: isOk });
const list = async (port: number): Promise<Target> => ({ port, path: '/v1/capabilities' });
const nullConfig = () => ({ mcpServers: { null: nullServer } });
const large = { config: () => ({ mcpServers: manyToolsServers(20, 500) }), inFlight: 32 };

const comparisons: Readonly<Record<string, Comparison>> = {
  stdio: { inFlight: 32, total: 6000, config: nullConfig, target: call },
  locked: { inFlight: 32, total: 6000, config: nullConfig, target: call, isLockedHere: true },
  sequential: { inFlight: 1, total: 1500, config: nullConfig, target: call },
  http: {
    inFlight: 32,
    total: 4000,
    upstream: () => startServer([httpUpstreamPath]),
    target: call,
    config: (port) => ({ mcpServers: { null: { url: `http://127.0.0.1:${port}/mcp` } } }),
  },
  keyed: { inFlight: 32, total: 1500, config: nullConfig, target: async (port) => keyed(port, 1e6) },
  // The first of each key makes a call, in the rounds that do not count.
  replay: { inFlight: 32, total: 2000, config: nullConfig, target: async (port) => keyed(port, 1000) },
  'mcp-http': {
    inFlight: 32,
    total: 4000,
    config: () => ({ ...nullConfig(), mcpHttpServer: { port: 0 } }),
    target: async (_, mcpPort) => modernHttp(mcpPort),
  },
  unchanged: { ...large, total: 8000, target: unchangedList },
  list: { ...large, inFlight: 8, total: 200, target: list },
};

async function keyed(port: number, keys: number): Promise<Target> {
  let asked = 0;
  const body = () => `${nullCall.slice(0, -1)},"idempotency_key":"key-${asked++ % keys}"}`;
  return { ...(await call(port)), body };
}

async function unchangedList(port: number): Promise<Target> {
  const etag = (await fetch(`http://127.0.0.1:${port}/v1/capabilities`)).headers.get('etag') ?? '';
  return { ...(await list(port)), status: 304, headers: { 'If-None-Match': etag } };
}

async function compare(name: string, comparison: Comparison, checkouts: readonly string[], rounds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  const running: Running[] = [];
  const keep = (started: Running) => {
    running.push(started);
    return started;
  };
  try {
    const upstream = comparison.upstream === undefined ? undefined : keep(await comparison.upstream());
    const config = comparison.config(upstream?.port ?? 0);
    const daemons: { readonly port: number; readonly target: Target }[] = [];
    for (const [n, checkout] of checkouts.entries()) {
      const at = join(folder, String(n));
      const isLocked = comparison.isLockedHere === true && n === 1;
      if (isLocked) await writeLock(at, config, checkout);
      const own = isLocked ? { ...config, lock: { mode: 'enforce' } } : config;
      const { port, mcpPort = port } = keep(await startPortico(at, own, checkout));
      daemons.push({ port, target: await comparison.target(port, mcpPort) });
    }
    const { inFlight, total } = comparison;
    for (const { target } of daemons) await runLoad(target, inFlight, total); // warm up
    const measured: number[][] = [];
    for (let round = 0; round < rounds; round++) {
      const times: number[] = [];
      for (const { port, target } of daemons) times.push(await cpuUsPerRequest(port, target, inFlight, total));
      measured.push(times);
    }
    report(name, measured);
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Leaves a lock of all that the servers list beside the configuration. */
async function writeLock(folder: string, config: object, checkout: string): Promise<void> {
  const { port, stop } = await startPortico(folder, { ...config, lock: { mode: 'warn' } }, checkout);
  const { drifts } = await askJson<{ drifts: readonly { id: string; digest: string }[] }>(port, '/v1/lock/drift');
  const items = drifts.map(({ id, digest }) => ({ id, digest }));
  const answer = await fetch(`http://127.0.0.1:${port}/v1/lock/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ items }),
  });
  await stop();
  if (!answer.ok) throw new Error(`the lock could not be written: ${await answer.text()}`);
}

/** CPU time of the daemon for one request, in microseconds. */
async function cpuUsPerRequest(port: number, target: Target, inFlight: number, total: number): Promise<number> {
  const before = await cpuUsOf(port);
  await runLoad(target, inFlight, total);
  return ((await cpuUsOf(port)) - before) / total;
}

function report(name: string, measured: readonly (readonly number[])[]): void {
  const column = (n: number) => measured.map((times) => times[n] ?? Number.NaN);
  const [other, ours] = [column(0), column(1)];
  const figures = [withSpread(other), withSpread(ours), withSpread(ratios(ours, other), 2)];
  process.stdout.write(`${name.padEnd(12)} there ${figures[0]} µs, here ${figures[1]} µs: ${figures[2]} of there\n`);
}

const [other, ...flags] = process.argv.slice(2);
if (other === undefined) throw new Error('which checkout is this one to be compared with? It has to be built');
const { only, rounds } = readOptions(flags, Object.keys(comparisons));
for (const [name, comparison] of Object.entries(comparisons)) {
  if (only.length === 0 || only.includes(name)) await compare(name, comparison, [other, root], rounds);
}
