// Calls to an upstream over HTTP, beside one hop of Hono that makes the same calls by bare node:http.
import { httpUpstreamPath } from '../../../fixtures/src/paths.js';
import { inRounds, isOk, nullCall, type Scenario } from '../bench.js';
import { startServer } from '../processes.js';
import { measureRate, type Target } from '../raw-http-client.js';
import { atLeast } from '../rows.js';
import { ratios } from '../statistics.js';

const inFlight = 32;

export const httpUpstream: Scenario = {
  name: 'http-upstream',
  async run(bench) {
    const total = bench.count(4000);
    const upstream = bench.keep(await startServer([httpUpstreamPath]));
    const daemon = await bench.portico({ mcpServers: { null: { url: `http://127.0.0.1:${upstream.port}/mcp` } } });
    const hop = await bench.yardstick('hono-hop.mjs', String(upstream.port), 'null_call');
    const calls: Target = { port: daemon.port, path: '/v1/tools/call', body: nullCall, expect: isOk };
    const hops: Target = { port: hop.port, path: '/call', body: nullCall, expect: isOk };
    for (const target of [calls, hops]) await measureRate(target, inFlight, total); // warm up

    const rounds = await inRounds(bench.rounds, async () => ({
      calls: await measureRate(calls, inFlight, total),
      hops: await measureRate(hops, inFlight, total),
    }));
    return [
      {
        scenario: 'Calls over HTTP, 32 in flight',
        beside: 'raw node:http calls to the same server through one hop of Hono',
        figures: ratios(
          rounds.map((round) => round.calls),
          rounds.map((round) => round.hops),
        ),
        digits: 2,
        target: atLeast(0.85),
      },
    ];
  },
};
