// `npm run test:stalls -- [--seed S] [--rounds N] [files…]`: end-to-end files while the processes of the product are
// stopped and continued. A report on stdout and in .cache/reports/stalls.json; exit code 1 when a test failed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Failure } from '../../build/read-report.mjs';
import { showFailures } from '../../build/show-failures.mjs';
import { canListProcesses } from '../../faults/src/processes.js';
import { anySeed, numberFlag, say, stopOnSignals } from '../../faults/src/run-tool.js';
import { createScope, ScopeStopped } from '../../faults/src/scope.js';
import { kinds } from './kinds.js';
import { reports, runTests } from './run-tests.js';
import { beginStalls, type StallRecord } from './stalls.js';

/** Scenarios with promises under a key, decisions, questions, and several daemons. */
const standard = [
  'idempotency',
  'interactive',
  'approvals',
  'mcp-approvals',
  'sampling',
  'tasks',
  'cancel',
  'several-daemons',
  'killed-daemon',
  'shared-',
  'postgres-outage',
].map((name) => `tools/e2e/src/${name}`);

interface Round {
  readonly seed: number;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly stalls: readonly StallRecord[];
}

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: anySeed() },
    rounds: { type: 'string', default: '1' },
  },
  allowPositionals: true,
});
const seed = numberFlag('seed', values.seed);
const rounds = numberFlag('rounds', values.rounds);
const files = positionals.length === 0 ? standard : positionals;
const scope = createScope();
const untilStopped = stopOnSignals(scope);

say(`stalls: --seed ${seed} --rounds ${rounds}, Node ${process.version}`);
const code = canListProcesses ? await run() : notHere();
await untilStopped(); // and with it the process
process.exit(code);

function notHere(): number {
  say('FAILED: there is no /proc here, so the processes of the product cannot be found');
  return 1;
}

async function run(): Promise<number> {
  const done: Round[] = [];
  try {
    for (let index = 0; index < rounds; index += 1) {
      const round = await runRound(seed + index);
      done.push(round);
      show(round);
    }
  } catch (error) {
    if (error instanceof ScopeStopped) say('stopped before its end');
    else say(`FAILED could not be carried out: ${error instanceof Error ? error.stack : error}`);
    return 1;
  } finally {
    await scope.close();
  }
  writeFileSync(join(reports, 'stalls.json'), `${JSON.stringify({ seed, rounds: done }, null, 2)}\n`);
  return done.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** A round of its own seed, so that it can be repeated alone. */
async function runRound(seed: number): Promise<Round> {
  const tests = runTests(scope, files, `stalls-${seed}`);
  const stalls = beginStalls(tests.pid, seed);
  scope.onClose(() => stalls.end());
  const { passed, failures } = await tests.ended;
  const records = await stalls.end();
  scope.throwIfStopped(); // else it would count as a failure of the tests
  return { seed, passed, failures, stalls: records };
}

function show({ seed, passed, failures, stalls }: Round): void {
  const stopped = stalls.flatMap(({ processes }) => processes);
  const byKind = kinds
    .map((kind) => ({ kind, count: stopped.filter((process) => process.kind === kind).length }))
    .filter(({ count }) => count > 0);
  say(`seed ${seed}: ${passed} tests passed, ${failures.length} failed, ${stalls.length} stalls`);
  say(`  processes stopped: ${byKind.map(({ kind, count }) => `${count} ${kind}`).join(', ') || 'none'}`);
  for (const line of showFailures(failures)) say(`  ${line}`);
}
