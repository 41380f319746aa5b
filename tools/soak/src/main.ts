// `npm run soak -- --minutes N [--seed S]`: a report on stdout and in .cache/reports/soak.json; exit code 1 where an
// invariant is broken.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toLine } from '../../faults/src/check.js';
import { anySeed, numberFlag, say, stopOnSignals } from '../../faults/src/run-tool.js';
import { createScope } from '../../faults/src/scope.js';
import { type SoakReport, soak } from './run.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: anySeed() },
  },
});
const minutes = numberFlag('minutes', values.minutes, 'decimal');
const seed = numberFlag('seed', values.seed);
const scope = createScope();
const untilStopped = stopOnSignals(scope);

say(`soak: --minutes ${minutes} --seed ${seed}, Node ${process.version}`);
const code = await run();
await untilStopped(); // and with it the process
process.exit(code);

async function run(): Promise<number> {
  try {
    const report = await soak(scope, { minutes, seed, say });
    show(report);
    return report.checks.some(({ problems }) => problems.length > 0) ? 1 : 0;
  } catch (error) {
    say(`FAILED could not be carried out: ${error instanceof Error ? error.stack : error}`);
    return 1;
  } finally {
    await scope.close();
  }
}

function show(report: SoakReport): void {
  const folder = fileURLToPath(new URL('../../../.cache/reports/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}soak.json`, `${JSON.stringify(report, null, 2)}\n`);
  const counted = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `  ${String(count).padStart(7)}  ${name}`);
  for (const line of [`${report.calls} calls`, ...counted(report.outcomes), 'faults', ...counted(report.faults)])
    say(line);
  for (const check of report.checks) say(toLine(check));
}
