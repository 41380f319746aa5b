// Stored answers of calls that were made under a key, of which the daemon has many, beside a bare Hono echo.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { successEnvelope } from '@portico/contracts';
import { fingerprintOf } from '@portico/idempotency';
import { createLedger, openStateDatabase } from '@portico/stores';
import { inRounds, nullCall, nullServer, type Scenario } from '../bench.js';
import { startPortico, stateOf } from '../portico.js';
import { measureRate, type Target } from '../raw-http-client.js';
import { atLeast } from '../rows.js';
import { ratios } from '../statistics.js';

const inFlight = 32;
const keyOf = (n: number) => `kept-${n}`;
const traceId = '0123456789abcdef0123456789abcdef';
const retry = { classification: 'idempotent', upstream_execution_state: 'completed' } as const;
const storedAnswer = successEnvelope({ requestId: null, traceId }, retry, {
  content: [{ type: 'text', text: 'stored answer' }],
});

export const replay: Scenario = {
  name: 'replay',
  async run(bench) {
    const [kept, total] = [bench.count(100_000), bench.count(20_000)];
    const folder = join(bench.folder, 'keeper');
    await fill(stateOf(folder), kept);
    const daemon = bench.keep(await startPortico(folder, { mcpServers: { null: nullServer } }));
    const echo = await bench.yardstick('hono-echo.mjs');
    // Keys in a scattered order, so that the pages of the database that answer are not always the same.
    let asked = 0;
    const body = () => `${nullCall.slice(0, -1)},"idempotency_key":"${keyOf((asked++ * 7919) % kept)}"}`;
    const replays: Target = { port: daemon.port, path: '/v1/tools/call', body, expect: 'stored answer' };
    const echoes: Target = { port: echo.port, path: '/echo', body: nullCall, expect: 'capability_id' };
    for (const target of [replays, echoes]) await measureRate(target, inFlight, total); // warm up

    const rounds = await inRounds(bench.rounds, async () => ({
      replays: await measureRate(replays, inFlight, total),
      echoes: await measureRate(echoes, inFlight, total),
    }));
    return [
      {
        scenario: `Replays, 32 in flight, ${kept} records kept`,
        beside: 'a bare Hono JSON echo',
        figures: ratios(
          rounds.map((round) => round.replays),
          rounds.map((round) => round.echoes),
        ),
        digits: 2,
        target: atLeast(0.5),
      },
    ];
  },
};

/**
 * Fills the database of a daemon that is yet to start with this many answers, written by the code that writes them
 * there.
 */
async function fill(directory: string, count: number): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const database = await openStateDatabase(directory);
  const ledger = createLedger(database);
  const nowMs = Date.now();
  const fingerprint = fingerprintOf({ kind: 'tool', id: 'null.null_call', args: {} });
  const response = JSON.stringify(storedAnswer);
  const use = {
    scope: 'local',
    fingerprint,
    kind: 'tool',
    capabilityId: 'null.null_call',
    firstTraceId: traceId,
  } as const;
  for (let first = 0; first < count; first += 1000) {
    const keys = Array.from({ length: Math.min(1000, count - first) }, (_, n) => keyOf(first + n));
    const outcome = { response, completedAtMs: nowMs, expiresAtMs: nowMs + 3_600_000 };
    await Promise.all(
      keys.flatMap((key) => [
        ledger.begin({ ...use, key, createdAtMs: nowMs, unknownResponse: response }),
        ledger.complete('local', key, outcome),
      ]),
    );
  }
  await database.close();
}
