// Runs end-to-end files with Vitest in a process of its own, and reads from its report what failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { descendantsOf, endProcesses, leftOf } from '../../faults/src/processes.js';
import type { Scope } from '../../faults/src/scope.js';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));
export const reports = join(repository, '.cache/reports');
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

export interface Failure {
  readonly file: string;
  readonly test: string;
  readonly message: string;
}

export interface TestRun {
  readonly pid: number;
  readonly ended: Promise<{ readonly passed: number; readonly failures: readonly Failure[] }>;
}

/** @param files parts of paths, as Vitest takes them */
export function runTests(scope: Scope, files: readonly string[], name: string): TestRun {
  scope.throwIfStopped();
  mkdirSync(reports, { recursive: true });
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true }); // that of an earlier run must not count
  const args = ['run', '--project', 'e2e', '--maxWorkers=2', '--reporter=default', '--reporter=json'];
  const child = spawn(process.execPath, [vitest, ...args, `--outputFile.json=${report}`, ...files], {
    cwd: repository,
    // A daemon inside a worker of Vitest could be stopped only together with the tests.
    env: { ...process.env, PORTICO_E2E_DAEMONS: 'process', NO_COLOR: '1', FORCE_COLOR: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  const log = createWriteStream(join(reports, `${name}.log`));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = exited.then(([code]) => {
    log.end();
    const found = readReport(report);
    if (code === 0 || found.failures.length > 0) return found;
    const message = `ended with ${code}; its output is in ${relative(repository, join(reports, `${name}.log`))}`;
    return { ...found, failures: [{ file: '', test: 'Vitest', message }] };
  });
  scope.onClose(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const started = descendantsOf(child.pid ?? 0);
    child.kill();
    endProcesses(await leftOf(started, 5000));
    child.kill('SIGKILL');
    await exited;
  });
  return { pid: child.pid ?? 0, ended };
}

interface Report {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** A skipped test counts as failed, and so does a run without tests. */
function readReport(path: string): { readonly passed: number; readonly failures: readonly Failure[] } {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failures: [] }; // the exit code of Vitest and its output say why
  }
  const failures = report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(repository, name);
    const ofTests = assertionResults
      .filter(({ status }) => status !== 'passed')
      .map(({ fullName, status, failureMessages }) => ({
        file,
        test: fullName,
        message: stripVTControlCharacters(failureMessages.join('\n')) || `not run (${status})`,
      }));
    return message === ''
      ? ofTests
      : [{ file, test: 'the file', message: stripVTControlCharacters(message) }, ...ofTests];
  });
  const none = { file: '', test: 'Vitest', message: 'no test was run' };
  return { passed: report.numPassedTests, failures: report.numTotalTests === 0 ? [...failures, none] : failures };
}
