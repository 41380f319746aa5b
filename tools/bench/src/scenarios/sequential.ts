// What Portico adds to a call over stdio when nothing else is going on, beside the same call made directly.
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
    await runLoad(calls, 32, 4 * total); // warm up

    const addedUs = await inRounds(bench.rounds, async () => {
      const directUs = median(await timed(direct.call, total));
      return median((await runLoad(calls, 1, total)).latenciesUs) - directUs;
    });
    return [
      {
        scenario: 'Call over stdio, one at a time: what is added at p50',
        beside: 'the same call over the pipe, without Portico',
        figures: addedUs,
        unit: 'µs',
        digits: 0,
        target: atMost(200),
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
