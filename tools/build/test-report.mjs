// The end of a run of tests: what failed, in few lines on stdout and whole in `.cache/test-report.json`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';
import { showFailures } from './show-failures.mjs';
import { reports } from './stages.mjs';

/** Nx runs several targets of several projects at once; each has a report of its own. */
const { NX_TASK_TARGET_PROJECT: project, NX_TASK_TARGET_TARGET: target } = process.env;
const suffix = project === undefined ? '' : `-${project.replaceAll('/', '-')}-${target}`;
const name = `.cache/test-report${suffix}.json`;
const file = join(root, name);

/** Removes the report of an earlier run, which says nothing of this one. */
export function removeReport() {
  attempt(() => rmSync(file, { force: true }));
}

/**
 * Shows what failed and the line `N passed, N failed`, and writes the report.
 * @param {{ startedAt: Date, results: readonly import('./run-stage.mjs').StageResult[], isStopped: boolean,
 *   more?: Record<string, unknown> }} run `more` is added to the report
 * @returns {number} the exit code: 0, or 1 where something failed
 */
export function concludeRun({ startedAt, results, isStopped, more = {} }) {
  const failures = results.flatMap(({ failures: found }) => found);
  if (isStopped) {
    failures.push({ stage: 'test', test: 'the run', message: 'it was stopped by a signal', logs: [], pictures: [] });
  }
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const stages = results.map(({ name, seconds, passed: ok, failed }) => ({ name, seconds, passed: ok, failed }));
  const seconds = (Date.now() - startedAt.getTime()) / 1000;
  const report = {
    startedAt,
    node: process.version,
    seconds,
    ...more,
    passed,
    failed: failures.length,
    stages,
    failures,
  };
  attempt(() => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  });
  for (const line of showFailures(failures, name)) process.stdout.write(`${line}\n`);
  if (failures.some(({ message }) => message.includes('ENOSPC'))) {
    process.stdout.write(`no space was left: free some in ${root}/.cache and in TMPDIR, then run this again\n`);
  }
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  return failures.length === 0 ? 0 : 1;
}

/** Makes the folder for what stages report, empty if wanted. Exits with the reason where that cannot be done. */
export function openReports({ isEmpty = false } = {}) {
  try {
    if (isEmpty) rmSync(reports, { recursive: true, force: true });
    mkdirSync(reports, { recursive: true });
  } catch ({ message }) {
    process.stderr.write(`${reports} cannot be written (${message}): make room there, and let it be written to\n`);
    process.exit(1);
  }
}

/** A report that cannot be written hides no result. */
function attempt(work) {
  try {
    work();
  } catch ({ message }) {
    process.stderr.write(`${file} was not written (${message}): make room there, and let it be written to\n`);
  }
}
