// Reporter of Vitest: writes the outcome of each test to `--outputFile`. Vitest's own JSON reporter leaves out why a hook
// of a suite failed, and errors that belong to no test.
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {object} ReportedTest
 * @property {string} file absolute
 * @property {string} name its title, after those of its suites
 * @property {'passed' | 'failed' | 'skipped' | 'pending'} status
 * @property {readonly string[]} errors each with its stack
 * @property {Record<string, unknown>} meta
 */

/**
 * An error of a file or its suite, such as that of a hook; without a file, one of the run.
 * @typedef {{ file?: string, suite?: string, message: string }} ReportedError
 */

/** @typedef {{ tests: readonly ReportedTest[], errors: readonly ReportedError[] }} TestReport */

export default class TestReporter {
  #file = '';

  /** @param {import('vitest/node').Vitest} vitest */
  onInit(vitest) {
    this.#file = vitest.config.outputFile;
  }

  /** @type {import('vitest/reporters').Reporter['onTestRunEnd']} */
  onTestRunEnd(modules, unhandledErrors) {
    const report = {
      tests: modules.flatMap((module) => [...module.children.allTests()].map(testOf)),
      errors: [
        ...modules.flatMap((module) => [module, ...module.children.allSuites()].flatMap(errorsOf)),
        ...unhandledErrors.map((error) => ({ message: messageOf(error) })),
      ],
    };
    writeFileSync(this.#file, JSON.stringify(report));
  }
}

/** @returns {ReportedTest} */
function testOf(test) {
  const { state, errors = [] } = test.result();
  return {
    ...{ file: test.module.moduleId, name: nameOf(test), status: state },
    ...{ errors: errors.map(messageOf), meta: test.meta() },
  };
}

/** @returns {readonly ReportedError[]} */
function errorsOf(suite) {
  const of = suite.type === 'module' ? { file: suite.moduleId } : { file: suite.module.moduleId, suite: nameOf(suite) };
  return suite.errors().map((error) => ({ ...of, message: messageOf(error) }));
}

function nameOf(task) {
  return task.parent.type === 'module' ? task.name : `${nameOf(task.parent)} ${task.name}`;
}

/** The stack of a time-out begins with a placeholder, so only its frames are taken. What it stems from follows. */
function messageOf({ name = 'Error', message, diff, stack = '', cause }) {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const causes = typeof cause?.message === 'string' ? [`caused by ${messageOf(cause)}`] : [];
  const lines = [`${name}: ${message}`, ...(diff === undefined ? [] : [diff]), ...frames, ...causes];
  return stripVTControlCharacters(lines.join('\n'));
}
