// Calls that take a second each, all at once to one server: they run side by side, not behind each other.
import { inRounds, isOk, nullServer, type Scenario } from '../bench.js';
import { runLoad } from '../raw-http-client.js';
import { under } from '../rows.js';

const calls = 50;

export const slowCalls: Scenario = {
  name: 'slow-calls',
  async run(bench) {
    const { port } = await bench.portico({ mcpServers: { null: nullServer } });
    const body = JSON.stringify({ capability_id: 'null.sleep', args: { ms: 1000 } });
    const rounds = await inRounds(bench.rounds, () =>
      runLoad({ port, path: '/v1/tools/call', body, expect: isOk }, calls, calls),
    );
    return [
      {
        scenario: `${calls} calls of one second to one server`,
        figures: rounds.map(({ seconds }) => seconds),
        unit: 's',
        digits: 2,
        target: under(1.3),
      },
    ];
  },
};
