// `npm run test:repeat -- [--times N] [--workers N] [--seed S] [--kind e2e] [files]`: end-to-end files again and again, their
// tests in an order drawn from the seed, which each round prints. Stops at the first round that fails.
import { parseArgs } from 'node:util';
import { runStage, stopSignal } from './run-stage.mjs';
import { stages } from './stages.mjs';
import { openTempFolder } from './temp-folder.mjs';
import { concludeRun, openReports, removeReport } from './test-report.mjs';
import { buildWhatIsStale, installWhatIsMissing } from './workspace.mjs';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    workers: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    kind: { type: 'string', default: 'e2e' },
  },
});
const { kind } = values;
const [times, workers, seed] = [values.times, values.workers, values.seed].map(Number);
if (![times, workers, seed].every((number) => Number.isInteger(number)) || times < 1 || workers < 1 || seed < 0) {
  process.stderr.write('--times and --workers are whole numbers from 1, --seed is one from 0\n');
  process.exit(2);
}
if (!stages[kind]?.isVitest) {
  process.stderr.write(`--kind is one of ${Object.keys(stages).filter((name) => stages[name].isVitest)}\n`);
  process.exit(2);
}

const startedAt = new Date();
const tempFolder = openTempFolder();
removeReport();
installWhatIsMissing();
buildWhatIsStale();
openReports();
const signal = stopSignal();
for (let round = 0; round < times; round += 1) {
  const order = seed + round;
  const shuffled = ['--sequence.shuffle.tests', '--sequence.shuffle.files', `--sequence.seed=${order}`];
  const args = [...files, `--maxWorkers=${workers}`, ...shuffled];
  const result = await runStage(kind, stages[kind], { tempFolder, args, signal });
  const { passed, failures, seconds } = result;
  process.stdout.write(
    `${failures.length === 0 ? 'ok    ' : 'FAILED'} round ${round + 1} of ${times}, order ${order}: ` +
      `${passed} passed, ${failures.length} failed, ${seconds.toFixed(1)} s\n`,
  );
  if (failures.length === 0 && !signal.aborted) continue;
  const flags = ['--times 1', `--workers ${workers}`, `--seed ${order}`, `--kind ${kind}`, ...files];
  if (failures.length > 0) process.stdout.write(`again: npm run test:repeat -- ${flags.join(' ')}\n`);
  process.exit(concludeRun({ startedAt, results: [result], isStopped: signal.aborted }));
}
