// `npm test`: sets everything up, runs every check and every test, and ends with `N passed, N failed`.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { bin, buildWhatIsStale, installWhatIsMissing, root } from './workspace.mjs';

const reports = join(root, '.cache/reports');
const node = process.execPath;
const vitestReport = (project) => join(reports, `${project}.json`);
const vitest = (project) => [
  bin('vitest/vitest.mjs'),
  'run',
  '--project',
  project,
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${vitestReport(project)}`,
];

let passed = 0;
let failed = 0;

/** Runs one check, shows what it printed where it failed (or always, with `show`), and counts it. */
async function check(name, args, { report, show = false, yields = false } = {}) {
  const startedAt = Date.now();
  const { status, output } = await capture(args, yields);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const counts =
    report === undefined ? { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1 } : countTests(report);
  if (status !== 0 && counts.failed === 0) counts.failed = 1; // the run itself broke, outside of any test
  passed += counts.passed;
  failed += counts.failed;
  const ok = counts.failed === 0;
  if (!ok || show) process.stdout.write(`${output.trimEnd()}\n`);
  const what = report === undefined ? '' : ` (${counts.passed} passed, ${counts.failed} failed)`;
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name}${what} ${seconds} s\n`);
}

/** @param yields whether it leaves the machine to the others that run meanwhile; what it starts does so too */
function capture(args, yields) {
  return new Promise((resolve) => {
    const child = spawn(node, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    });
    if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
      });
    }
    child.on('close', (status) => resolve({ status, output }));
  });
}

/** What did not pass has failed: a skipped test, and a report that is missing or has no tests, too. */
function countTests(file) {
  try {
    const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numTotalTests === 0 ? 1 : numTotalTests - numPassedTests };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

async function staticChecks() {
  await check('format and lint', [bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '.']);
  await check('lock file', ['tools/checks/check-lock-file.mjs']);
  await check('versions of packages', ['tools/checks/check-versions.mjs']);
  await check('ring boundaries', ['tools/checks/check-boundaries.mjs']);
  await check('types of tests and tools', [bin('typescript-7/bin/tsc'), '-p', 'tools/tsconfig.json']);
  await check('generated documents', ['--import', 'tsx', 'tools/checks/src/check-generated-docs.ts']);
  await check('packages (publint, attw, packed import)', [
    bin('nx/dist/bin/nx.js'),
    'run-many',
    '-t',
    'check-package',
    '--output-style=static',
  ]);
}

/** Beside what compares no times, for what it does to the machine. */
async function soak() {
  const minutes = process.env.PORTICO_SOAK_MINUTES ?? (process.env.CI === undefined ? '10' : '2');
  const args = ['--import', 'tsx', 'tools/soak/src/main.ts', '--minutes', minutes];
  await check(`soak of ${minutes} min`, args, { yields: true });
}

/** Alone, because some of these compare times. Three at a time on two cores: much of them is waiting for processes to start. */
async function endToEnd() {
  await check('end-to-end tests', [...vitest('e2e'), '--maxWorkers=3'], { report: vitestReport('e2e') });
  await check('requirements', ['--import', 'tsx', 'tools/e2e/src/check-requirements.ts', vitestReport('e2e')], {
    show: true,
  });
}

/** What the official MCP suite says, a line a run. */
function showConformance() {
  const file = join(reports, 'conformance.txt');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').sort() : [];
  for (const line of lines) process.stdout.write(`MCP conformance, ${line}\n`);
}

installWhatIsMissing();
process.env.NX_DAEMON = 'false';
process.env.NX_NO_CLOUD = 'true';
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
buildWhatIsStale();
process.stdout.write('ok     build and types\n');
passed += 1;
await Promise.all([staticChecks(), check('unit tests', vitest('unit'), { report: vitestReport('unit') }), soak()]);
await endToEnd();
showConformance();
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
