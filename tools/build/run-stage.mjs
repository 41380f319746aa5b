// Runs one stage as a child process and counts what passed and what failed in it.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { diagnosticsIn } from './diagnostics.mjs';
import { npmFolders } from './install.mjs';
import { readReport, runningFiles } from './read-report.mjs';
import { maxMessageLines } from './show-failures.mjs';
import { failuresOf, reportOf } from './stages.mjs';
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

/** A test that never gives its thread back cannot be ended by Vitest; that ends its stage, long before a CI gives up. */
const maxVitestMinutes = 40;

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
 *   shown at once
 * @returns {Promise<StageResult>}
 */
export async function runStage(name, stage, { tempFolder, args = [], isShown = false, signal }) {
  const startedAt = performance.now();
  // Reports of an earlier run must not count.
  const earlier = stage.isVitest ? [reportOf(name), runningFiles(reportOf(name))] : [failuresOf(name)];
  for (const file of earlier) rmSync(file, { force: true });
  const ended = await capture([...without(stage.args, args), ...args], { stage, tempFolder, isShown, signal });
  const seconds = (performance.now() - startedAt) / 1000;
  const { passed, failures } = stage.isVitest ? ofTests(name, stage, args, ended) : ofCheck(name, stage, ended);
  return { name, title: stage.title, seconds, passed, failed: failures.length, failures, output: ended.output };
}

function ofTests(name, stage, args, { status, output }) {
  const found = readReport(name, reportOf(name), leftOutBy(args));
  const isExplained = status === 0 || found.failures.length > 0;
  if (isExplained && found.isMissing !== true) return found;
  const running = readJson(runningFiles(reportOf(name))) ?? [];
  // Without a report, what the run has printed says more.
  const said = lastLines(output, maxMessageLines) || `ended with ${status}`;
  const whole = failureOf(name, stage.title, said);
  return { ...found, failures: [...running.map((file) => cutOff(name, file)), whole] };
}

/** Undefined if there is none, or half of one because the disk is full. */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function cutOff(name, file) {
  return { ...failureOf(name, file, 'the run ended, or was ended, while this file was running'), file };
}

/**
 * Failures that the check has written itself; else one failure for each place that it names, and the end of its output.
 */
function ofCheck(name, stage, { status, output }) {
  if (status === 0) return { passed: 1, failures: [] };
  const written = readJson(failuresOf(name));
  if (Array.isArray(written) && written.length > 0) return { passed: 0, failures: written };
  const places = diagnosticsIn(output).map((place) => ({ ...failureOf(name, stage.title, ''), ...place }));
  const whole = failureOf(name, stage.title, lastLines(output, maxMessageLines) || `ended with ${status}`);
  return { passed: 0, failures: [...places, whole] };
}

function failureOf(stage, test, message) {
  return { stage, test, message, logs: [], pictures: [] };
}

/**
 * Finds the tests that the arguments leave out by `-t`: Vitest reports them as skipped.
 * @param {readonly string[]} args
 * @returns {(title: string) => boolean}
 */
export function leftOutBy(args) {
  const at = args.findIndex((arg) => /^(-t|--testNamePattern)(=|$)/.test(arg));
  if (at < 0) return () => false;
  const [, , given] = /^(-t|--testNamePattern)=(.*)$/s.exec(args[at]) ?? [];
  try {
    const pattern = new RegExp(given ?? args[at + 1] ?? '');
    return (title) => !pattern.test(title);
  } catch {
    return () => false; // Vitest refuses it as well
  }
}

/** @returns {Promise<{ status: number | null, output: string }>} */
function capture(args, { stage, tempFolder, isShown, signal }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own: what the tests have started ends with them when they are stopped
      env: {
        ...process.env,
        ...quiet,
        ...prepared,
        ...withoutProxy,
        ...npmFolders(),
        TMPDIR: tempFolder,
        ...colours(isShown),
      },
    });
    const group = child.pid;
    const stop = () => signalGroup(group, 'SIGTERM');
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    if (group !== undefined) groups.add(group);
    if (stage.yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let output = '';
    for (const [stream, shown] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (isShown) shown.write(text);
      });
    }
    const endLate = () => {
      output += `ended after ${maxVitestMinutes} minutes\n`;
      stop();
    };
    const limit = stage.isVitest ? setTimeout(endLate, maxVitestMinutes * 60_000) : undefined;
    child.on('error', (error) => {
      output += `${error.message}\n`;
    });
    child.on('close', (status) => {
      signal?.removeEventListener('abort', stop);
      clearTimeout(limit);
      signalGroup(group, 'SIGKILL'); // what is left of it
      groups.delete(group);
      resolve({ status, output: stripVTControlCharacters(output) });
    });
  });
}

/** A terminal gets colours through the pipe as well. */
function colours(isShown) {
  if (!isShown) return { NO_COLOR: '1', FORCE_COLOR: '0' };
  return process.stdout.isTTY && process.env.NO_COLOR === undefined ? { FORCE_COLOR: '1' } : {};
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
