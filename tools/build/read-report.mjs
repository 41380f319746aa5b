// Reads the report of a stage of Vitest: how many tests passed, and of each that did not where and why.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './root.mjs';

/**
 * @typedef {object} Failure
 * @property {string} stage
 * @property {string} test its full title
 * @property {string} [file] relative to the repository
 * @property {number} [line] of the assertion that failed, or of its test
 * @property {string} message
 * @property {string} [seed] that the message names
 * @property {readonly { of: string, lines: readonly string[] }[]} logs the last lines of what the test had started
 * @property {readonly string[]} pictures paths of screenshots
 */

/** Where the reporter keeps which files are running, for a run that ends without a report. */
export function runningFiles(report) {
  return `${report}.running`;
}

/**
 * A test that did not pass has failed, a skipped one too; so has a report that is missing or has no tests.
 * @param {string} stage
 * @param {string} file what the reporter has written
 * @param {(name: string) => boolean} [isLeftOut] tests that the run leaves out by their names, and that do not count
 * @returns {{ passed: number, failures: Failure[], isMissing?: true }} `isMissing` where there is no report, or half of one
 */
export function readReport(stage, file, isLeftOut = () => false) {
  /** @type {import('./test-reporter.mjs').TestReport} */
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const failures = [failureOf(stage, { test: stage, message: `no report was written to ${file}` })];
    return { passed: 0, failures, isMissing: true };
  }
  const tests = report.tests.filter(({ name, status }) => status !== 'skipped' || !isLeftOut(name));
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failures = [
    ...report.errors.map(({ file, suite, message, meta }) => {
      const test = suite ?? (file === undefined ? stage : relative(root, file));
      return failureOf(stage, { test, file, message, ...meta?.evidence });
    }),
    ...tests
      .filter(({ status }) => status !== 'passed')
      .map(({ file, line, name, status, errors, meta }) => {
        const message =
          errors.join('\n') || (status === 'pending' ? 'the test did not end' : `the test was not run (${status})`);
        return failureOf(stage, { test: name, file, begin: line, message, ...meta.evidence });
      }),
  ];
  if (tests.length === 0) failures.push(failureOf(stage, { test: stage, message: 'no test was run' }));
  return { passed, failures };
}

/** @returns {Failure} */
function failureOf(stage, { test, file: path, begin, message, logs = [], pictures = [] }) {
  const file = path === undefined ? undefined : relative(root, path);
  const line = (path === undefined ? undefined : lineIn(message, path)) ?? begin;
  const [, seed] = /\bseed:? (-?\d+)/.exec(message) ?? [];
  return {
    stage,
    test,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    message,
    ...(seed === undefined ? {} : { seed }),
    logs,
    pictures,
  };
}

/** The first frame of the stack in this file. */
function lineIn(message, file) {
  const at = message.split('\n').find((frame) => frame.includes(`${file}:`));
  const [, line] = /:(\d+):\d+/.exec(at ?? '') ?? [];
  return line === undefined ? undefined : Number(line);
}
