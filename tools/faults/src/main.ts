// `npm run test:faults`: kills, duplicates and crashing servers, and what must hold of them. One line for each check.
import { parseArgs } from 'node:util';
import { approveAfterKill } from './approve-after-kill.js';
import { type Check, toLine } from './check.js';
import { besideACrashingServer } from './crashing.js';
import { concurrentDuplicates } from './duplicates.js';
import { createScope, type Scope } from './scope.js';
import { runStorm } from './storm.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    'crash-secs': { type: 'string', default: '60' },
  },
});
const kills = wholeNumber('kills', values.kills);
const seed = wholeNumber('seed', values.seed);
const crashSecs = wholeNumber('crash-secs', values['crash-secs']);

const say = (line: string) => process.stdout.write(`${line}\n`);
const scope = createScope();
let stopping: Promise<void> | undefined;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    stopping ??= scope.stop().finally(() => process.exit(code));
  });
}

say(`fault run: --kills ${kills} --seed ${seed} --crash-secs ${crashSecs}, Node ${process.version}`);
const checks = [
  ...(await run('kill storm', (inner) => runStorm(inner, { kills, seed, needsAmbiguity: true, say }))),
  ...(await run('concurrent duplicates', concurrentDuplicates)),
  ...(await run('approval after SIGKILL', approveAfterKill)),
  ...(await run('a crashing server', (inner) => besideACrashingServer(inner, { seconds: crashSecs, say }))),
];
await stopping; // and with it the process
for (const check of checks) say(toLine(check));
process.exit(checks.some(({ problems }) => problems.length > 0) ? 1 : 0);

/** What cannot be carried out has failed. */
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

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  process.stderr.write(`--${flag}: expected a whole number, got ${text}\n`);
  return process.exit(2);
}
