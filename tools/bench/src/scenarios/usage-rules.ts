// The cost of rules on arguments, loops and budgets for a call, all together: two daemons with the same server, one of them with
// all of these rules, in alternating rounds.
import { inRounds, isOk, nullServer, type Scenario } from '../bench.js';
import { cpuUsOf } from '../portico.js';
import { runLoad, type Target } from '../raw-http-client.js';
import { atMost } from '../rows.js';

/** No call of this scenario is stopped by them, so that each is compared with all of them. */
const rules = {
  policy: {
    rules: [
      { id: 'outside', match: 'null.*', when: '!args.path.startsWith("/srv/")', effect: 'deny' },
      { id: 'deep', match: 'null.*', when: 'args.depth > 20', effect: 'requireApproval' },
      { id: 'secret', match: 'null.null_call', when: 'args.path.contains("secret")', effect: 'deny' },
      {
        id: 'writes',
        match: 'null.*',
        when: 'has(args.mode) && args.mode in ["write", "append"]',
        effect: 'requireApproval',
      },
    ],
  },
  loops: {},
  budgets: [
    { id: 'actors', scope: { by: 'actor' }, window: 'day', calls: 1e9, resultTokens: 1e12 },
    { id: 'servers', scope: { by: 'server' }, window: 'hour', calls: 1e9, upstreamSecs: 1e6 },
    { id: 'all', window: 'month', calls: 1e9, cost: 1e6 },
  ],
  prices: { 'other.*': 0.01, 'null.*': 0.001 },
};

export const usageRules: Scenario = {
  name: 'usage-rules',
  async run({ rounds, count, portico }) {
    const mcpServers = { null: nullServer };
    const [plain, ruled] = [await portico({ mcpServers }), await portico({ mcpServers, ...rules })];
    let calls = 0;
    /** Other arguments for each call: equal ones with an equal result would be a loop. */
    const body = () => {
      calls += 1;
      return JSON.stringify({ capability_id: 'null.null_call', args: { path: `/srv/notes/${calls}.md`, depth: 3 } });
    };
    const total = count(12_000);
    const measure = async (port: number) => {
      const target: Target = { port, path: '/v1/tools/call', body, expect: isOk };
      const before = await cpuUsOf(port);
      await runLoad(target, 32, total);
      return ((await cpuUsOf(port)) - before) / total;
    };
    const round = async () => ({ plain: await measure(plain.port), ruled: await measure(ruled.port) });
    await inRounds(2, round); // warm up
    const measured = await inRounds(rounds, round);
    return [
      {
        scenario: 'CPU time of a call with 4 rules on arguments, loops, 3 budgets and prices, 32 in flight',
        beside: 'the same call without them',
        figures: measured.map((each) => each.ruled - each.plain),
        unit: 'µs more',
        digits: 1,
        target: atMost(25),
      },
      {
        scenario: 'CPU time of a call without rules on arguments, loops and budgets, 32 in flight',
        figures: measured.map((each) => each.plain),
        unit: 'µs',
        digits: 0,
      },
    ];
  },
};
