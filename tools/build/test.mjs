// `npm test`: sets everything up, runs every stage, and ends with `N passed, N failed`. Failures are printed before
// that line, and in full in `.cache/test-report.json`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './install.mjs';
import { runStage, stopSignal } from './run-stage.mjs';
import { reports, stages } from './stages.mjs';
import { openTempFolder } from './temp-folder.mjs';
import { concludeRun, openReports, removeReport } from './test-report.mjs';
import { figuresIn } from './workspace.mjs';

const startedAt = new Date();
const tempFolder = openTempFolder();
const stopped = stopSignal();
/** @type {import('./run-stage.mjs').StageResult[]} */
const results = [];

/** Several after each other. */
async function run(...names) {
  for (const name of names) {
    if (stopped.aborted) return;
    const result = await runStage(name, stages[name], { tempFolder, signal: stopped });
    results.push(result);
    const { title, seconds, passed, failed, output } = result;
    if (failed > 0 || ['requirements', 'node-versions'].includes(name)) process.stdout.write(`${output.trimEnd()}\n`);
    const counts = stages[name].isVitest ? ` (${passed} passed, ${failed} failed)` : '';
    process.stdout.write(
      `${failed === 0 ? 'ok    ' : 'FAILED'} ${title}${counts} ${seconds.toFixed(1)} s\n${failed === 0 ? figuresIn(output) : ''}`,
    );
  }
}

async function whatOnlyReads() {
  await run('lint', 'lock-file', 'versions', 'words');
  if (succeeded('build')) await run('boundaries', 'docstrings', 'typecheck', 'docs');
}

/**
 * Three lanes on two processors, because much of the end-to-end tests is waiting; with more each test takes longer. One
 * compiles SQLite while another builds and checks.
 */
async function everything() {
  const sqlite = run('sqlite');
  const build = run('build');
  const checked = build.then(whatOnlyReads);
  const prepared = Promise.all([sqlite, build]);
  await Promise.all([
    prepared.then(() => runPrepared('e2e')),
    prepared.then(() => runPrepared('soak', 'unit', 'packages')),
    Promise.all([checked, prepared]).then(() =>
      runPrepared('node-versions', 'conformance', 'browser', 'interop', 'fuzz'),
    ),
  ]);
  await runPrepared('requirements');
}

async function runPrepared(...names) {
  if (succeeded('sqlite') && succeeded('build')) await run(...names);
}

function succeeded(name) {
  return results.some((result) => result.name === name && result.failed === 0);
}

/** The counts of the official MCP suite, a line a run. */
function showConformance() {
  const file = join(reports, 'conformance.txt');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').sort() : [];
  for (const line of lines) process.stdout.write(`${line}\n`);
}

removeReport();
const installed = installPackages();
openReports({ isEmpty: true });

await everything();
showConformance();
process.stdout.write(`${((Date.now() - startedAt.getTime()) / 60_000).toFixed(1)} minutes\n`);
process.exit(concludeRun({ startedAt, results, isStopped: stopped.aborted, more: { installed } }));
