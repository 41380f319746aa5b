// Reads the JSON report of a stage of Vitest: how many tests passed, and of each that did not where and why.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './workspace.mjs';

/**
 * @typedef {object} Failure
 * @property {string} stage
 * @property {string} test its full title
 * @property {string} [file] relative to the repository
 * @property {number} [line] of the assertion that failed
 * @property {string} message
 * @property {string} [seed] that the message names
 * @property {readonly { of: string, lines: readonly string[] }[]} logs the last lines of what the test had started
 * @property {readonly string[]} pictures paths of screenshots
 */

/** What Vitest writes at the beginning of the stack of a time-out, in place of the message. */
const timeoutStack = 'Error: STACK_TRACE_ERROR';

/**
 * A test that did not pass has failed, a skipped one too; so has a report that is missing or has no tests.
 * @param {string} stage
 * @param {string} file
 * @returns {{ passed: number, failures: Failure[] }}
 */
export function readReport(stage, file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failures: [failureOf(stage, { test: stage, message: `no report was written to ${file}` })] };
  }
  const failures = report.testResults.flatMap((suite) => failuresOf(stage, suite));
  if (report.numTotalTests === 0) failures.push(failureOf(stage, { test: stage, message: 'no test was run' }));
  return { passed: report.numPassedTests, failures };
}

/** @returns {Failure[]} */
function failuresOf(stage, { name, message, assertionResults }) {
  const file = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status !== 'passed');
  // A file that could not be loaded, or whose hooks failed, says so itself.
  const ofFile = message ? [failureOf(stage, { test: file, file, message })] : [];
  return [
    ...ofFile,
    ...failed.map(({ fullName, status, failureMessages, meta }) => {
      const message = failureMessages?.join('\n') || `the test was not run (${status})`;
      return failureOf(stage, { test: fullName, file, message, ...meta?.evidence });
    }),
  ];
}

/** @returns {Failure} */
function failureOf(stage, { test, file, message, logs = [], pictures = [] }) {
  const plain = stripVTControlCharacters(message).replace(
    timeoutStack,
    'Error: the test or its hook took longer than its limit',
  );
  const line = file === undefined ? undefined : lineIn(plain, file);
  const [, seed] = /\bseed:? (-?\d+)/.exec(plain) ?? [];
  return {
    stage,
    test,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    message: plain,
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
