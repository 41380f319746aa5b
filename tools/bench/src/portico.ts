// A built daemon to measure, in a folder of its own, and what it says of itself.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Running, startServer } from './processes.js';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** Starts it and waits until all of its servers are connected. */
export async function startPortico(folder: string, config: object, checkout = root): Promise<Running> {
  const daemon = await startAlone(folder, config, checkout);
  try {
    await untilConnected(daemon);
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  return daemon;
}

/** Starts it and waits for its ready line only. @param checkout whose build it is @param nodeArgs flags of Node */
export async function startAlone(
  folder: string,
  config: object,
  checkout = root,
  nodeArgs: readonly string[] = [],
): Promise<Running> {
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, 'mcp_servers.json');
  writeFileSync(configFile, JSON.stringify(config));
  const state = stateOf(folder);
  return startServer(
    [
      ...nodeArgs,
      join(checkout, 'apps/daemon/dist/main.js'),
      ...['--config', configFile, '--port', '0', '--state-dir', state, '--log-level', 'error'],
    ],
    'mcpHttpServer' in config,
  );
}

export const stateOf = (folder: string): string => join(folder, 'state');

/** @param wanted how many servers have to be; all of them where it is not given */
export async function untilConnected({ port }: Pick<Running, 'port'>, wanted?: number): Promise<void> {
  await until('the servers are connected', async () => {
    const { servers } = await askJson<{ servers: Record<string, string> }>(port, '/readyz');
    const statuses = Object.values(servers);
    return statuses.filter((status) => status === 'connected').length >= (wanted ?? statuses.length);
  });
}

/** Asks again and again, at most for a minute. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`gave up waiting until ${what}`);
    await sleep(20);
  }
}

/** The JSON of an answer. @throws Error for one that is no success */
export async function askJson<T>(port: number, path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T; // the caller knows the route's shape
}

export function postJson<T>(port: number, path: string, body: object): Promise<T> {
  const headers = { 'Content-Type': 'application/json' };
  return askJson(port, path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** How long the daemon was on a core so far, microseconds. */
export async function cpuUsOf(port: number): Promise<number> {
  return (await readMetrics(port))('process_cpu_seconds_total') * 1e6;
}

const garbageCollector = ['--import', join(root, 'tools/bench/src/collect-garbage.mjs')];
/** A collection takes some 30 ms. */
const collectionMs = 500;

/** A daemon of which `readKept` can be asked; its servers are connected. */
export async function startCollectable(folder: string, config: object): Promise<Running> {
  const daemon = await startAlone(folder, config, root, garbageCollector);
  await untilConnected(daemon);
  return daemon;
}

/** Bytes that it keeps when its garbage has been collected: the least of several times, since asking makes garbage too. */
export async function readKept({ port, signal }: Running): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 5; n += 1) {
    signal('SIGUSR2');
    await sleep(collectionMs);
    const metric = await readMetrics(port);
    least = Math.min(least, metric('nodejs_heap_size_used_bytes') + metric('nodejs_external_memory_bytes'));
  }
  return least;
}

/** The metrics without labels, as the daemon gives them out; asking resets what it has measured of its event loop. */
export async function readMetrics(port: number): Promise<(name: string) => number> {
  const lines = (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).split('\n');
  return (name) => {
    const line = lines.find((candidate) => candidate.startsWith(`${name} `));
    if (line === undefined) throw new Error(`/metrics has no ${name}`);
    return Number(line.slice(name.length + 1));
  };
}
