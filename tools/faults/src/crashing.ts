// Servers that crash over and over beside healthy ones: the healthy ones must not feel it, the crashing ones come back
// on schedule until they are given up, and a stop ends all of them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nullStdioPath } from '../../fixtures/src/paths.js';
import { startHttpUpstream } from '../../fuzz/src/http-upstream.js';
import { type Check, unless } from './check.js';
import { countingUpstreamPath, type Daemon, launchDaemon, writeConfig } from './daemon.js';
import { canListProcesses, childrenOf, describeProcess, leftOf, processesWith } from './processes.js';
import { type Scope, tempFolder } from './scope.js';

export interface CrashingOptions {
  readonly seconds: number;
  readonly say: (line: string) => void;
}

interface ServerInfo {
  readonly id: string;
  readonly status: string;
  readonly pid?: number;
  readonly restarts: number;
}

const healthy = ['one', 'two', 'remote'] as const;
const lifeMs = 300;
const restartsOfStopping = 4;
const paceMs = 20;

export async function besideACrashingServer(scope: Scope, options: CrashingOptions): Promise<readonly Check[]> {
  const folder = tempFolder(scope);
  const { url } = await startHttpUpstream(scope);
  const stdio = { command: process.execPath, args: [nullStdioPath] };
  const livesOf = (id: string) => join(folder, `${id}.jsonl`);
  const crashing = (id: string, maxRestarts: number) => ({
    command: process.execPath,
    args: [countingUpstreamPath, join(folder, 'journal'), '--exit-after', String(lifeMs), '--lives', livesOf(id)],
    resilience: { maxRestarts },
  });
  const mcpServers = {
    one: stdio,
    two: stdio,
    remote: { url },
    crashing: crashing('crashing', 1000),
    stopping: crashing('stopping', restartsOfStopping),
  };
  const daemon = launchDaemon(scope, writeConfig(folder, { mcpServers }));
  await daemon.connected(...healthy);

  const before = await pidsOf(daemon);
  const calls = await callWhileCrashing(daemon, options);
  const servers = await serversOf(daemon);
  const after = await pidsOf(daemon);
  const children = childrenOf(daemon.pid);
  const code = await daemon.stop();
  const left = await leftOf([...children, ...processesWith(folder)], 5_000);
  const infoOf = (id: string) => servers.find((server) => server.id === id);
  return [
    {
      what: 'healthy servers answer every call beside crashing ones',
      figures: `${calls.count} calls in ${calls.seconds.toFixed(0)} s, all 200 but ${calls.wrong.length}; slowest ${calls.slowestMs.toFixed(0)} ms`,
      problems: [...calls.wrong, ...unless(calls.count > 0, () => 'no call was made')],
    },
    {
      what: 'healthy servers keep their processes',
      figures: `pids ${after.join(', ')}`,
      problems: unless(before.join() === after.join(), () => `were ${before.join(', ')}, are ${after.join(', ')}`),
    },
    onSchedule('a server that crashes all the time restarts on schedule', livesOf('crashing'), infoOf('crashing')),
    untilDisabled(livesOf('stopping'), infoOf('stopping')),
    {
      what: 'SIGTERM leaves no process',
      figures: canListProcesses ? `${children.length} child processes, exit code ${code}` : 'not looked at: no /proc',
      problems: [...left.map(describeProcess), ...unless(code === 0, () => `the daemon ended with ${code}`)],
    },
  ];
}

interface Calls {
  readonly count: number;
  readonly seconds: number;
  readonly slowestMs: number;
  readonly wrong: readonly string[];
}

/** Calls each healthy server at a steady pace for the time that is asked for, and until `stopping` is given up. */
async function callWhileCrashing(daemon: Daemon, { seconds, say }: CrashingOptions): Promise<Calls> {
  const startedAt = performance.now();
  const elapsedSecs = () => (performance.now() - startedAt) / 1000;
  const wrong: string[] = [];
  let count = 0;
  let slowestMs = 0;
  let isOver = false;
  const client = async (id: string) => {
    while (!isOver) {
      const sentAt = performance.now();
      const { status, text } = await daemon.post('/v1/tools/call', { capability_id: `${id}.null_call`, args: {} });
      count += 1;
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      if (status !== 200) wrong.push(`${id} answered ${status} after ${elapsedSecs().toFixed(1)} s: ${text}`);
      await sleep(paceMs); // a pace, so that a minute of calls costs the machine little
    }
  };
  const watch = async () => {
    let shown = 0;
    for (;;) {
      const servers = await serversOf(daemon);
      const isGivenUp = servers.some(({ id, status }) => id === 'stopping' && status === 'disabled');
      if (elapsedSecs() >= seconds && (isGivenUp || elapsedSecs() >= seconds + 30)) break;
      if (elapsedSecs() >= shown + 10) {
        shown += 10;
        say(`  ${shown} s: ${servers.map(({ id, status, restarts }) => `${id} ${status} ${restarts}`).join(', ')}`);
      }
      await sleep(200);
    }
    isOver = true;
  };
  const clients = Promise.all(healthy.map(client));
  try {
    await Promise.race([watch(), clients]);
  } finally {
    isOver = true;
  }
  await clients;
  return { count, seconds: elapsedSecs(), slowestMs, wrong };
}

async function serversOf(daemon: Daemon): Promise<readonly ServerInfo[]> {
  return (await daemon.ask<{ readonly servers: readonly ServerInfo[] }>('/v1/servers')).body.servers;
}

/** As the servers say themselves: the service does not know the pid of a server over HTTP. */
async function pidsOf(daemon: Daemon): Promise<readonly (number | undefined)[]> {
  type Who = { readonly data?: { readonly structuredContent?: { readonly pid?: number } } };
  const replies = healthy.map((id) => daemon.post<Who>('/v1/tools/call', { capability_id: `${id}.whoami`, args: {} }));
  return (await Promise.all(replies)).map(({ body }) => body.data?.structuredContent?.pid);
}

interface LifeEvent {
  readonly event: 'start' | 'exit';
  readonly epochMs: number;
}

function readLives(file: string): readonly LifeEvent[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LifeEvent);
}

/** The n-th restart follows `min(500 * 2^(n-1), 30000)` ms after the exit; starting a process takes its time, too. */
function onSchedule(what: string, file: string, info: ServerInfo | undefined): Check {
  const lives = readLives(file);
  const starts = lives.filter(({ event }) => event === 'start');
  const exits = lives.filter(({ event }) => event === 'exit');
  const gaps = starts.slice(1).map(({ epochMs }, index) => epochMs - (exits[index]?.epochMs ?? Number.NaN));
  const expected = gaps.map((_, index) => Math.min(500 * 2 ** index, 30_000));
  const off = gaps.filter(
    (gap, index) => !(gap >= (expected[index] ?? 0) - 25 && gap <= (expected[index] ?? 0) + 2000),
  );
  return {
    what,
    figures: `${gaps.length} restarts, after ${gaps.join(', ')} ms`,
    problems: [
      ...unless(gaps.length > 0, () => 'it was never restarted'),
      ...unless(off.length === 0, () => `expected ${expected.join(', ')} ms, give or take starting it`),
      // The one that is being started may be counted and not have written its line yet.
      ...unless(
        Math.abs((info?.restarts ?? -9) - gaps.length) <= 1,
        () => `the service shows ${info?.restarts} restarts`,
      ),
    ],
  };
}

function untilDisabled(file: string, info: ServerInfo | undefined): Check {
  const check = onSchedule(`a server with maxRestarts ${restartsOfStopping} is then disabled`, file, info);
  const starts = readLives(file).filter(({ event }) => event === 'start').length;
  return {
    ...check,
    figures: `${check.figures}; ${info?.status} with ${info?.restarts} restarts`,
    problems: [
      ...check.problems,
      ...unless(info?.status === 'disabled', () => `it is ${info?.status}`),
      ...unless(starts === restartsOfStopping + 1, () => `it was started ${starts} times`),
    ],
  };
}
