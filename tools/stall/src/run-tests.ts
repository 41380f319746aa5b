// Runs end-to-end files with Vitest in a process of its own, and reads from its report what failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readReport } from '../../build/read-report.mjs';
import { reporterArgs } from '../../build/stages.mjs';
import { descendantsOf, endProcesses, leftOf } from '../../faults/src/processes.js';
import type { Scope } from '../../faults/src/scope.js';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));
export const reports = join(repository, '.cache/reports');
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

export interface TestRun {
  readonly pid: number;
  readonly ended: Promise<ReturnType<typeof readReport>>;
}

/** @param files parts of paths, as Vitest takes them */
export function runTests(scope: Scope, files: readonly string[], name: string): TestRun {
  scope.throwIfStopped();
  mkdirSync(reports, { recursive: true });
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true }); // that of an earlier run must not count
  const args = ['run', '--project', 'e2e', '--maxWorkers=2', ...reporterArgs(report), ...files];
  const child = spawn(process.execPath, [vitest, ...args], {
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
    const found = readReport('e2e', report);
    if (existsSync(report) && (code === 0 || found.failures.length > 0)) return found;
    const message = `ended with ${code}; its output is in ${relative(repository, join(reports, `${name}.log`))}`;
    return { ...found, failures: [{ stage: 'e2e', test: 'Vitest', message, logs: [], pictures: [] }] };
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
