// Many calls at once over stdio, beside a bare Hono server that parses the same body and sends it back.
import { type Bench, inRounds, isOk, nullCall, nullServer, type Scenario } from '../bench.js';
import { askJson, cpuUsOf } from '../portico.js';
import { type Load, runLoad, type Target } from '../raw-http-client.js';
import { atLeast, atMost, type Row, under } from '../rows.js';
import { percentile, ratios } from '../statistics.js';

const beside = 'a bare Hono JSON echo';

export const parallel: Scenario = {
  name: 'parallel',
  async run(bench) {
    const daemon = await bench.portico({ mcpServers: { null: nullServer } });
    const echo = await bench.yardstick('hono-echo.mjs');
    const calls: Target = { port: daemon.port, path: '/v1/tools/call', body: nullCall, expect: isOk };
    const echoes: Target = { port: echo.port, path: '/echo', body: nullCall, expect: 'capability_id' };
    let keys = 0;
    /** Every call under a key of its own: an intent and an outcome on disk. */
    const keyedBody = () => `${nullCall.slice(0, -1)},"idempotency_key":"bench-${keys++}"}`;
    const keyed: Target = { ...calls, body: keyedBody };
    for (const target of [calls, echoes]) await runLoad(target, 32, bench.count(20_000)); // warm up
    await runLoad(keyed, 32, bench.count(4000));

    const rows: Row[] = [];
    for (const inFlight of [32, 256]) rows.push(...(await compare(bench, inFlight, { calls, echoes, keyed })));
    rows.push(await compareCpu(bench, calls, echoes));
    return rows;
  },
};

/** CPU time of the processes: a busy machine affects it far less than rates. */
async function compareCpu({ rounds, count }: Bench, calls: Target, echoes: Target): Promise<Row> {
  const total = count(6000);
  const spent = async (target: Target, cpuUs: (port: number) => Promise<number>) => {
    const before = await cpuUs(target.port);
    await runLoad(target, 32, total);
    return ((await cpuUs(target.port)) - before) / total;
  };
  const measured = await inRounds(rounds, async () => ({
    calls: await spent(calls, cpuUsOf),
    echoes: await spent(echoes, cpuUsOfEcho),
  }));
  return {
    scenario: 'CPU time of a call over stdio, 32 in flight',
    beside,
    figures: ratios(
      measured.map((round) => round.calls),
      measured.map((round) => round.echoes),
    ),
    digits: 2,
    target: atMost(1.8),
  };
}

async function cpuUsOfEcho(port: number): Promise<number> {
  const { user, system } = await askJson<NodeJS.CpuUsage>(port, '/cpu');
  return user + system;
}

async function compare(
  { rounds, count }: Bench,
  inFlight: number,
  { calls, echoes, keyed }: Readonly<Record<'calls' | 'echoes' | 'keyed', Target>>,
): Promise<readonly Row[]> {
  // So many that the first call of each connection is less than 1 % of them: the p99 is that of a warm connection.
  const [total, keyedTotal] = [count(40_000), count(8000)];
  const measured = await inRounds(rounds, async () => ({
    calls: await runLoad(calls, inFlight, total),
    echoes: await runLoad(echoes, inFlight, total),
    keyed: await runLoad(keyed, inFlight, keyedTotal),
  }));
  const rates = (of: (round: (typeof measured)[number]) => Load) =>
    measured.map((round) => of(round).latenciesUs.length / of(round).seconds);
  const [callRates, echoRates] = [rates((round) => round.calls), rates((round) => round.echoes)];
  const p99Ms = measured.map((round) => percentile(round.calls.latenciesUs, 0.99) / 1000);
  const what = `Calls over stdio, ${inFlight} in flight`;
  return [
    { scenario: what, beside, figures: ratios(callRates, echoRates), digits: 2, target: atLeast(0.6) },
    {
      scenario: `${what}: p99`,
      figures: p99Ms,
      unit: 'ms',
      digits: 1,
      ...(inFlight === 256 ? { target: under(25) } : {}),
    },
    { scenario: `${what}: how many`, figures: callRates, unit: 'a second', digits: 0 },
    {
      scenario: `Calls under a key of their own, ${inFlight} in flight`,
      beside: 'the same calls without a key',
      figures: ratios(
        rates((round) => round.keyed),
        callRates,
      ),
      digits: 2,
      target: atLeast(0.6),
    },
  ];
}
