// The memory of a daemon: with many servers and nothing to do, and over a great many calls with results of some size.
import { join } from 'node:path';
import { type Bench, inRounds, isOk, nullServer, type Scenario } from '../bench.js';
import { askJson, readKept, readMetrics, startAlone, startCollectable, until } from '../portico.js';
import { runLoad, type Target } from '../raw-http-client.js';
import { atMost, type Row, under } from '../rows.js';
import { growthOverLastHalf } from '../statistics.js';

const servers = 40;
const samples = 200;

export const memory: Scenario = {
  name: 'memory',
  run: async (bench) => [...(await idle(bench)), ...(await busy(bench))],
};

async function idle(bench: Bench): Promise<readonly Row[]> {
  const server = { ...nullServer, lifecycle: 'lazy', idleStopSecs: 1 };
  const mcpServers = Object.fromEntries(Array.from({ length: servers }, (_, n) => [`server${n}`, server] as const));
  const figures = await inRounds(Math.min(bench.rounds, 3), async (n) => {
    const { port, stop } = bench.keep(await startAlone(join(bench.folder, `idle-${n}`), { mcpServers }));
    await until('all servers are idle', () => areIdle(port)); // each was started once, to see what it has
    const mebibytes = await residentMebibytes(port);
    await stop();
    return mebibytes;
  });
  return [
    { scenario: `Memory with ${servers} lazy servers, idle`, figures, unit: 'MiB', digits: 0, target: atMost(110) },
  ];
}

async function areIdle(port: number): Promise<boolean> {
  const { servers: all } = await askJson<{ servers: readonly { status: string }[] }>(port, '/v1/servers');
  return all.every(({ status }) => status === 'idle');
}

async function busy(bench: Bench): Promise<readonly Row[]> {
  const total = bench.count(200_000);
  const daemon = bench.keep(await startCollectable(join(bench.folder, 'busy'), { mcpServers: { null: nullServer } }));
  const { port } = daemon;
  const body = JSON.stringify({ capability_id: 'null.big', args: { bytes: 10_240 } });
  const calls: Target = { port, path: '/v1/tools/call', body, expect: isOk };
  const kept: number[] = [];
  const mebibytes = await inRounds(samples, async (n) => {
    await runLoad(calls, 32, Math.ceil(total / samples));
    const resident = await residentMebibytes(port);
    if (n === samples / 2 - 1 || n === samples - 1) kept.push(await readKept(daemon));
    return resident;
  });
  const [atHalf = Number.NaN, atEnd = Number.NaN] = kept;
  const what = `Memory over ${total} calls with results of 10 KB`;
  const row = (scenario: string, figure: number, unit: string): Row => ({
    scenario,
    figures: [figure],
    unit,
    digits: 1,
  });
  return [
    {
      ...row(`${what}: growth over the last half of what is kept`, (atEnd / atHalf - 1) * 100, '%'),
      target: under(1),
    },
    row(`${what}: kept at the end`, atEnd / 2 ** 20, 'MiB'),
    row(`${what}: growth over the last half of what is resident`, growthOverLastHalf(mebibytes), '%'),
    { ...row(`${what}: resident at the end`, mebibytes.at(-1) ?? Number.NaN, 'MiB'), digits: 0 },
  ];
}

async function residentMebibytes(port: number): Promise<number> {
  return (await readMetrics(port))('process_resident_memory_bytes') / 2 ** 20;
}
