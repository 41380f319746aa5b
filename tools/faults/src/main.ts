// `npm run test:faults`: kills, duplicates and crashing servers, and what must hold of them. One line for each check.
import { parseArgs } from 'node:util';
import { approveAfterKill } from './approve-after-kill.js';
import { type Check, toLine } from './check.js';
import { besideACrashingServer } from './crashing.js';
import { concurrentDuplicates } from './duplicates.js';
import { anySeed, numberFlag, say, stopOnSignals } from './run-tool.js';
import { createScope, type Scope } from './scope.js';
import { runStorm } from './storm.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: anySeed() },
    'crash-secs': { type: 'string', default: '60' },
  },
});
const kills = numberFlag('kills', values.kills);
const seed = numberFlag('seed', values.seed);
const crashSecs = numberFlag('crash-secs', values['crash-secs']);

const scope = createScope();
const untilStopped = stopOnSignals(scope);

say(`fault run: --kills ${kills} --seed ${seed} --crash-secs ${crashSecs}, Node ${process.version}`);
const checks = [
  ...(await run('kill storm', (inner) => runStorm(inner, { kills, seed, needsAmbiguity: true, say }))),
  ...(await run('concurrent duplicates', concurrentDuplicates)),
  ...(await run('approval after SIGKILL', approveAfterKill)),
  ...(await run('a crashing server', (inner) => besideACrashingServer(inner, { seconds: crashSecs, say }))),
];
await untilStopped(); // and with it the process
for (const check of checks) say(toLine(check));
process.exit(checks.some(({ problems }) => problems.length > 0) ? 1 : 0);

/** An exception counts as a failure. */
async function run(what: string, work: (scope: Scope) => Promise<readonly Check[]>): Promise<readonly Check[]> {
  const startedAt = performance.now();
  say(`${what} ...`);
  try {
    return await work(scope);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ what, figures: 'could not be carried out', problems: [reason] }];
  } finally {
    await scope.close();
    say(`  ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
}
