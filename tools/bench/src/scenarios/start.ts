// How long a daemon takes to its ready line with 40 servers of which half are dead, and, where it has known them before,
// to its first whole list.
import { join } from 'node:path';
import { type Bench, inRounds, nullServer, type Scenario } from '../bench.js';
import { askJson, root, startAlone, untilConnected } from '../portico.js';
import { startServer } from '../processes.js';
import { atMost, type Row } from '../rows.js';

const live = 20;
const alive = Object.fromEntries(Array.from({ length: live }, (_, n) => [`live${n}`, nullServer] as const));
/** A missing program, one that ends at once, one that says nothing, and a port without a listener. */
const deaths: readonly object[] = [
  { command: 'portico-bench-no-such-program' },
  { ...nullServer, args: [...nullServer.args, '--exit-code', '3'] },
  { ...nullServer, args: [...nullServer.args, '--delay-start', '600000'] },
  { url: 'http://127.0.0.1:9/mcp' },
];
const dead = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`dead${n}`, deaths[n % deaths.length]] as const));

export const start: Scenario = {
  name: 'start',
  async run(bench) {
    const config = { mcpServers: { ...alive, ...dead } };
    const [ready, bare] = [[] as number[], [] as number[]];
    await inRounds(bench.rounds, async (n) => {
      const daemon = await startAlone(join(bench.folder, `cold-${n}`), config);
      ready.push(daemon.readyMs);
      await daemon.stop();
      const echo = await startServer([join(root, 'tools/bench/src/yardsticks/hono-echo.mjs')]);
      bare.push(echo.readyMs);
      await echo.stop();
    });
    const rows: Row[] = [
      {
        scenario: 'Ready line with 40 servers, half of them dead',
        figures: ready,
        unit: 'ms',
        digits: 0,
        target: atMost(200),
      },
      { scenario: 'Ready line of a bare Hono server', figures: bare, unit: 'ms', digits: 0 },
    ];
    return [...rows, await firstList(bench, config)];
  },
};

/** From the start of the process to the first list, which has to hold everything that was known before. */
async function firstList({ folder, rounds }: Bench, config: object): Promise<Row> {
  const place = join(folder, 'warm');
  const first = await startAlone(place, config);
  await untilConnected(first, live);
  const known = await countTools(first.port);
  await first.stop();
  const figures = await inRounds(rounds, async () => {
    const startedAt = performance.now();
    const daemon = await startAlone(place, config);
    const listed = await countTools(daemon.port);
    const tookMs = performance.now() - startedAt;
    await daemon.stop();
    if (listed !== known) throw new Error(`the first list after a start has ${listed} tools of ${known}`);
    return tookMs;
  });
  const scenario = 'First list of a warm catalog with 40 servers, half of them dead';
  return { scenario, figures, unit: 'ms', digits: 0, target: atMost(300) };
}

async function countTools(port: number): Promise<number> {
  const { capabilities } = await askJson<{ capabilities: readonly unknown[] }>(port, '/v1/capabilities');
  return capabilities.length;
}
