// `npm test`: sets everything up, runs every stage, and ends with `N passed, N failed`. What failed stands before that
// line, and whole in `.cache/test-report.json`.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './install.mjs';
import { root } from './root.mjs';
import { runStage, stopSignal } from './run-stage.mjs';
import { showFailures } from './show-failures.mjs';
import { reports, stages } from './stages.mjs';
import { openTempFolder } from './temp-folder.mjs';

const startedAt = new Date();
const tempFolder = openTempFolder();
const stopped = stopSignal();
const report = join(root, '.cache/test-report.json');
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
    process.stdout.write(`${failed === 0 ? 'ok    ' : 'FAILED'} ${title}${counts} ${seconds.toFixed(1)} s\n`);
  }
}

async function whatOnlyReads() {
  await run('lint', 'lock-file', 'versions');
  if (succeeded('build')) await run('boundaries', 'typecheck', 'docs');
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
    Promise.all([checked, prepared]).then(() => runPrepared('node-versions', 'conformance', 'browser', 'fuzz')),
  ]);
  await runPrepared('requirements');
}

async function runPrepared(...names) {
  if (succeeded('sqlite') && succeeded('build')) await run(...names);
}

function succeeded(name) {
  return results.some((result) => result.name === name && result.failed === 0);
}

/** What the official MCP suite counted, a line a run. */
function showConformance() {
  const file = join(reports, 'conformance.txt');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').sort() : [];
  for (const line of lines) process.stdout.write(`${line}\n`);
}

rmSync(report, { force: true }); // that of an earlier run says nothing of this one
const installed = installPackages();
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

await everything();
showConformance();
finish();

function finish() {
  const failures = results.flatMap(({ failures: found }) => found);
  if (stopped.aborted)
    failures.push({ stage: 'test', test: 'npm test', message: 'it was stopped by a signal', logs: [], pictures: [] });
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const seconds = (Date.now() - startedAt.getTime()) / 1000;
  const stageRows = results.map(({ name, seconds: took, passed: ok, failed }) => ({
    name,
    seconds: took,
    passed: ok,
    failed,
  }));
  writeFileSync(
    report,
    `${JSON.stringify({ startedAt, node: process.version, seconds, installed, passed, failed: failures.length, stages: stageRows, failures }, null, 2)}\n`,
  );
  process.stdout.write(`${(seconds / 60).toFixed(1)} minutes\n`);
  for (const line of showFailures(failures)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  process.exit(failures.length === 0 ? 0 : 1);
}
