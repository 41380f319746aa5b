// How long the event loop of a daemon keeps others waiting while a large result passes and a large server is mounted,
// by what the daemon itself measures of it in turns of 10 milliseconds.
import { createCatalog, toServerEntries } from '@portico/catalog-core';
import type { JsonObject } from '@portico/contracts';
import { createSearchIndex } from '@portico/search';
import { readTools, type Tool, toDocument } from '../../../eval-search/src/dataset.js';
import { inRounds, isOk, nullServer, type Scenario } from '../bench.js';
import { askJson, postJson, readMetrics, until } from '../portico.js';
import { runLoad } from '../raw-http-client.js';
import { atMost, type Row } from '../rows.js';
import { manyToolsServer } from './many-tools.js';

const tools = 2000;
const resultBytes = 5 * 1024 * 1024;

export const eventLoop: Scenario = {
  name: 'event-loop',
  async run(bench): Promise<readonly Row[]> {
    const { port } = await bench.portico({ mcpServers: { null: nullServer } });
    const body = JSON.stringify({ capability_id: 'null.big', args: { bytes: resultBytes } });
    const call = () => runLoad({ port, path: '/v1/tools/call', body, expect: isOk }, 1, 1);
    await call(); // warm up
    const rounds = await inRounds(bench.rounds, async (n) => {
      const server = `large${n}`;
      const alone = await lagWhile(port, call);
      const both = await lagWhile(port, async () => {
        await Promise.all([
          postJson(port, '/v1/config/servers', { name: server, server: manyToolsServer(tools) }),
          call(),
        ]);
        await until('the server is mounted', async () => (await countTools(port, server)) === tools);
      });
      await askJson(port, `/v1/config/servers/${server}`, { method: 'DELETE' });
      return { alone, both };
    });
    const what = `Event loop while a result of 5 MB passes and a server of ${tools} tools mounts`;
    const row = (scenario: string, figures: readonly number[]): Row => ({ scenario, figures, unit: 'ms', digits: 1 });
    return [
      row(
        `${what}: p99`,
        rounds.map(({ both }) => both.p99),
      ),
      {
        ...row(
          `${what}: longest`,
          rounds.map(({ both }) => both.longest),
        ),
        target: atMost(15),
      },
      row(
        'Event loop while the result alone passes: longest',
        rounds.map(({ alone }) => alone.longest),
      ),
      ...partsOfMount(bench.rounds).map(([part, figures]) =>
        row(`Mount of ${tools} tools, in parts: ${part}`, figures),
      ),
    ];
  },
};

/** In milliseconds; those of the turns of an idle loop are about 10. */
async function lagWhile(port: number, work: () => Promise<unknown>): Promise<{ p99: number; longest: number }> {
  await readMetrics(port); // what was before does not count
  await work();
  const metric = await readMetrics(port);
  const ms = (which: string) => metric(`nodejs_eventloop_lag_${which}_seconds`) * 1000;
  return { p99: ms('p99'), longest: ms('max') };
}

/** The parts of a mount at once, each measured in this process. */
function partsOfMount(rounds: number): readonly (readonly [part: string, figures: readonly number[]])[] {
  const samples = readTools('tools-527.json');
  const large = Array.from({ length: tools }, (_, n) => {
    const sample = samples[n % samples.length] as Tool; // there are some
    return { ...sample, server: 'large', name: `${sample.name}_${n}` };
  });
  const definitions = {
    tools: large.map(({ name, description, input_schema }) => ({
      name,
      description,
      inputSchema: { ...(input_schema as JsonObject), type: 'object' },
    })),
    resources: [],
    resourceTemplates: [],
    prompts: [],
  };
  const none = { capability: new Map(), resource: new Map(), prompt: new Map() };
  const empty = createSearchIndex([]);
  const round = () => {
    const [entries, entriesMs] = timed(() => toServerEntries('large', definitions));
    const [, catalogMs] = timed(() => createCatalog(new Map([['large', entries]]), none));
    const [, indexMs] = timed(() => empty.replaceServer('large', large.map(toDocument)));
    return [entriesMs, catalogMs, indexMs] as const;
  };
  const measured = Array.from({ length: rounds }, round);
  return [
    ['definitions read and digested', measured.map(([entriesMs]) => entriesMs)],
    ['the catalog put together', measured.map(([, catalogMs]) => catalogMs)],
    ['the search index renewed', measured.map(([, , indexMs]) => indexMs)],
  ];
}

function timed<T>(run: () => T): [result: T, ms: number] {
  const startedAt = performance.now();
  const result = run();
  return [result, performance.now() - startedAt];
}

async function countTools(port: number, server: string): Promise<number> {
  const { servers } = await askJson<{ servers: readonly { id: string; tools: number }[] }>(port, '/v1/servers');
  return servers.find(({ id }) => id === server)?.tools ?? 0;
}
