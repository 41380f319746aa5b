// Runs one stage as a child process and counts what passed and what failed in it.
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { npmFolders } from './install.mjs';
import { readReport } from './read-report.mjs';
import { maxMessageLines } from './show-failures.mjs';
import { reportOf } from './stages.mjs';
import { prepared, quiet, root } from './workspace.mjs';

/**
 * @typedef {object} StageResult
 * @property {string} name
 * @property {string} title
 * @property {number} seconds
 * @property {number} passed
 * @property {number} failed
 * @property {readonly import('./read-report.mjs').Failure[]} failures
 * @property {string} output
 */

/** Tests talk to servers of this machine, which a proxy cannot reach; nor can it reach what it is not used for already. */
const given = process.env.no_proxy ?? process.env.NO_PROXY ?? '';
const unproxied = [given, '127.0.0.1', 'localhost', '::1'].filter((hosts) => hosts !== '').join();
const withoutProxy = { NO_PROXY: unproxied, no_proxy: unproxied };

/** Process groups of stages that run. They end when this process exits. */
const groups = new Set();
process.on('exit', () => {
  for (const group of groups) signalGroup(group, 'SIGKILL');
});

/** Aborts when this process is asked to end, which then goes on until what it runs has ended. */
export function stopSignal() {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopped.abort());
  return stopped.signal;
}

/**
 * @param {string} name
 * @param {import('./stages.mjs').Stage} stage
 * @param {{ tempFolder: string, args?: readonly string[], isShown?: boolean, signal?: AbortSignal }} options its TMPDIR;
 *   `args` are added to the stage's own and take the place of its flags of the same name; with `isShown` its output is
 *   shown as it comes
 * @returns {Promise<StageResult>}
 */
export async function runStage(name, stage, { tempFolder, args = [], isShown = false, signal }) {
  const startedAt = performance.now();
  if (stage.isVitest) rmSync(reportOf(name), { force: true }); // that of an earlier run must not count
  const { status, output } = await capture([...without(stage.args, args), ...args], {
    stage,
    tempFolder,
    isShown,
    signal,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const found = stage.isVitest ? readReport(name, reportOf(name)) : { passed: status === 0 ? 1 : 0, failures: [] };
  // Without a report, what the run has printed says more.
  const isUnexplained = found.failures.length === 0 || (stage.isVitest && !existsSync(reportOf(name)));
  const failures =
    status !== 0 && isUnexplained
      ? [
          {
            stage: name,
            test: stage.title,
            message: lastLines(output, maxMessageLines) || `ended with ${status}`,
            logs: [],
            pictures: [],
          },
        ]
      : found.failures;
  return { name, title: stage.title, seconds, passed: found.passed, failed: failures.length, failures, output };
}

/** @returns {Promise<{ status: number | null, output: string }>} */
function capture(args, { stage, tempFolder, isShown, signal }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own: what the tests have started ends with them when they are stopped
      env: {
        ...{ ...process.env, ...quiet, ...prepared, ...withoutProxy, ...npmFolders(), TMPDIR: tempFolder },
        ...(isShown ? {} : { NO_COLOR: '1', FORCE_COLOR: '0' }),
      },
    });
    const group = child.pid;
    const stop = () => signalGroup(group, 'SIGTERM');
    signal?.addEventListener('abort', stop);
    if (group !== undefined) groups.add(group);
    if (stage.yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => {
      output += `${error.message}\n`;
    });
    child.on('close', (status) => {
      signal?.removeEventListener('abort', stop);
      signalGroup(group, 'SIGKILL'); // what is left of it
      groups.delete(group);
      resolve({ status, output });
    });
  });
}

/** Vitest refuses a flag that is there twice. */
function without(own, args) {
  const flagOf = (arg) => /^(--[^=]+)=/.exec(arg)?.[1];
  const given = new Set(args.map(flagOf).filter((flag) => flag !== undefined));
  return own.filter((arg) => !given.has(flagOf(arg)));
}

function signalGroup(group, signal) {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
