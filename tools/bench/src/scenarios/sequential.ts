// The time that Portico adds to a call over stdio on an idle machine, beside the same call made directly, and beside
// the same call through a bare forwarder.
import { nullStdioPath } from '../../../fixtures/src/paths.js';
import { inRounds, isOk, nullCall, nullServer, type Scenario } from '../bench.js';
import { startDirect } from '../processes.js';
import { runLoad, type Target } from '../raw-http-client.js';
import { atMost } from '../rows.js';
import { median } from '../statistics.js';

export const sequential: Scenario = {
  name: 'sequential',
  async run(bench) {
    const total = bench.count(1000);
    const { port } = await bench.portico({ mcpServers: { null: nullServer } });
    const direct = bench.keep(await startDirect(nullStdioPath, 'null_call'));
    const calls: Target = { port, path: '/v1/tools/call', body: nullCall, expect: isOk };
    const forwarder = await bench.yardstick('forwarder.mjs', nullStdioPath, 'null_call');
    const forwarded: Target = { port: forwarder.port, path: '/call', body: nullCall, expect: isOk };
    // Until V8 has optimised both: after 4,000 calls ours still takes 1.6 times as long as after 40,000.
    for (const target of [calls, forwarded]) await runLoad(target, 32, 40 * total);

    const rounds = await inRounds(bench.rounds, async () => ({
      directUs: median(await timed(direct.call, total)),
      callUs: median((await runLoad(calls, 1, total)).latenciesUs),
      forwardedUs: median((await runLoad(forwarded, 1, total)).latenciesUs),
    }));
    return [
      {
        scenario: 'Call over stdio, one at a time: p50',
        beside: 'the same call through a bare forwarder of node:http',
        figures: rounds.map(({ callUs, forwardedUs }) => callUs - forwardedUs),
        unit: 'µs more',
        digits: 0,
        target: atMost(60),
      },
      {
        scenario: 'Call over stdio, one at a time: what is added at p50',
        beside: 'the same call over the pipe, without Portico',
        figures: rounds.map(({ callUs, directUs }) => callUs - directUs),
        unit: 'µs',
        digits: 0,
      },
    ];
  },
};

async function timed(call: () => Promise<void>, total: number): Promise<Float64Array> {
  const latencies = new Float64Array(total);
  for (let i = 0; i < total; i++) {
    const sentAt = performance.now();
    await call();
    latencies[i] = (performance.now() - sentAt) * 1000;
  }
  return latencies;
}
