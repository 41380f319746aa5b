// `npm run fuzz -- --minutes N [--seed S]`: rounds with one seed after the other until the time is over. Every finding is
// shrunk and printed with what brings it about again; the exit code is 1 where there is one.
import { parseArgs } from 'node:util';
import { anySeed, numberFlag, say, stopOnSignals } from '../../faults/src/run-tool.js';
import { createScope } from '../../faults/src/scope.js';
import { toText } from './finding.js';
import { heldMore, runRound, verifyOffline } from './round.js';
import { openWorld } from './world.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: anySeed() },
  },
});
const minutes = numberFlag('minutes', values.minutes, 'decimal');
const firstSeed = numberFlag('seed', values.seed);
const scope = createScope();
const untilStopped = stopOnSignals(scope);

say(`fuzz: --minutes ${minutes} --seed ${firstSeed}, Node ${process.version}`);
let problems = 0;
try {
  problems = await run();
} catch (error) {
  problems += 1;
  say(`FAILED could not be carried out: ${error instanceof Error ? error.stack : error}`);
} finally {
  await scope.close();
}
await untilStopped(); // and with it the process
process.exit(problems === 0 ? 0 : 1);

async function run(): Promise<number> {
  const deadline = performance.now() + minutes * 60_000;
  const world = await openWorld(scope);
  const before = await world.service.measure();
  const reported = new Set<string>();
  for (let seed = firstSeed; seed === firstSeed || performance.now() < deadline; seed += 1) {
    const { cases, findings } = await runRound(scope, world, seed, { http: 60, mcp: 100 });
    const count = Object.values(cases).reduce((sum, each) => sum + each, 0);
    say(
      `${findings.length === 0 ? 'ok    ' : 'FAILED'} round of seed ${seed}: ${count} cases, ${findings.length} findings`,
    );
    for (const finding of findings) {
      const name = `${finding.what} ${finding.problem.slice(0, 60)}`;
      if (!reported.has(name)) say(toText(finding));
      reported.add(name);
    }
    if (!world.service.isAlive()) return reported.size;
  }
  const held = await heldMore(world.service, before);
  for (const more of held) say(`FAILED the daemon holds more than before: ${more}`);
  const exitCode = await world.service.stop();
  if (exitCode !== 0) say(`FAILED the daemon ended with ${exitCode}`);
  const offline = verifyOffline(world.service);
  say(`${offline.code === 0 ? 'ok    ' : 'FAILED'} audit log: ${offline.text}`);
  return reported.size + held.length + (exitCode === 0 ? 0 : 1) + (offline.code === 0 ? 0 : 1);
}
