// `npm run test:repeat -- [--times N] [--workers N] [--seed S] [--kind e2e] [files]`: end-to-end files again and again, their
// tests in an order drawn from the seed, which each round prints. Stops at the first round that fails.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readReport } from './read-report.mjs';
import { showFailures } from './show-failures.mjs';
import { reports } from './stages.mjs';
import { openTempFolder } from './temp-folder.mjs';
import { bin, buildWhatIsStale, installWhatIsMissing, root } from './workspace.mjs';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    workers: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    kind: { type: 'string', default: 'e2e' },
  },
});
const numbers = [values.times, values.workers, values.seed].map(Number);
if (!numbers.every((number) => Number.isInteger(number) && number >= 0)) {
  process.stderr.write('--times, --workers and --seed are whole numbers\n');
  process.exit(2);
}
const [times, workers, seed] = numbers;
const report = join(reports, 'repeat.json');

installWhatIsMissing();
buildWhatIsStale();
mkdirSync(reports, { recursive: true });
const env = { ...process.env, TMPDIR: openTempFolder() };
for (let round = 0; round < times; round += 1) {
  const startedAt = performance.now();
  const order = seed + round;
  const { status } = spawnSync(
    process.execPath,
    [
      ...[bin('vitest/vitest.mjs'), 'run', '--project', values.kind, ...files, `--maxWorkers=${workers}`],
      ...['--sequence.shuffle.tests', '--sequence.shuffle.files', `--sequence.seed=${order}`],
      ...['--reporter=json', `--outputFile.json=${report}`],
    ],
    { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const { passed, failures } = readReport(values.kind, report);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const ok = status === 0 && failures.length === 0;
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'} round ${round + 1} of ${times}, order ${order}: ${passed} passed, `,
  );
  process.stdout.write(`${failures.length} failed, ${seconds} s\n`);
  if (ok) continue;
  for (const line of showFailures(failures)) process.stdout.write(`${line}\n`);
  process.stdout.write(
    `again: npm run test:repeat -- --times 1 --workers ${workers} --seed ${order} ${files.join(' ')}\n`.replace(
      ' \n',
      '\n',
    ),
  );
  process.exit(1);
}
