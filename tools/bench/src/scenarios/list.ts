// The list of 10,000 tools, whole and unchanged, beside a bare server that sends the same bytes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, inRounds, type Scenario } from '../bench.js';
import { measureRate, type Target } from '../raw-http-client.js';
import { atLeast, type Row } from '../rows.js';
import { ratios } from '../statistics.js';
import { manyToolsServers } from './many-tools.js';

const beside = 'a bare Hono server that sends the same bytes';

export const list: Scenario = {
  name: 'list',
  async run(bench) {
    const daemon = await bench.portico({ mcpServers: manyToolsServers(20, 500) });
    const answer = await fetch(`http://127.0.0.1:${daemon.port}/v1/capabilities`);
    const etag = answer.headers.get('etag') ?? '';
    const file = join(bench.folder, 'list.json');
    writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));
    const bare = await bench.yardstick('hono-bytes.mjs', file, etag);
    const ours: Target = { port: daemon.port, path: '/v1/capabilities' };
    const bytes: Target = { port: bare.port, path: '/list' };
    const unchanged = { status: 304, headers: { 'If-None-Match': etag } };
    // Enough of each that the first request of a connection, for which the daemon reads the kernel's table of
    // connections, is less than 1 % of them. The bare server has no rule on who may connect.
    return [
      await compare(bench, 'List of 10,000 tools, 200, 8 in flight', [ours, bytes], 8, bench.count(1000), 0.95),
      await compare(
        bench,
        'List of 10,000 tools, 304, 32 in flight',
        [
          { ...ours, ...unchanged },
          { ...bytes, ...unchanged },
        ],
        32,
        bench.count(8000),
        0.8,
      ),
    ];
  },
};

async function compare(
  { rounds }: Bench,
  scenario: string,
  [ours, bare]: readonly [Target, Target],
  inFlight: number,
  total: number,
  least: number,
): Promise<Row> {
  for (const target of [ours, bare]) await measureRate(target, inFlight, total); // warm up
  const rates = await inRounds(rounds, async () => ({
    ours: await measureRate(ours, inFlight, total),
    bare: await measureRate(bare, inFlight, total),
  }));
  const figures = ratios(
    rates.map((round) => round.ours),
    rates.map((round) => round.bare),
  );
  return { scenario, beside, figures, digits: 2, target: atLeast(least) };
}
