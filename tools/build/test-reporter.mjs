// Reporter of Vitest: writes the outcome of each test to `--outputFile`. Vitest's own JSON reporter leaves out why a hook
// of a suite failed, and errors that belong to no test.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runningFiles } from './read-report.mjs';
import { root } from './root.mjs';

/**
 * @typedef {object} ReportedTest
 * @property {string} file absolute
 * @property {number} [line] where it begins
 * @property {string} name its title, after those of its suites
 * @property {'passed' | 'failed' | 'skipped' | 'pending'} status
 * @property {readonly string[]} errors each with its stack
 * @property {Record<string, unknown>} meta
 */

/**
 * An error of a file or its suite, such as that of a hook; without a file, one of the run.
 * @typedef {{ file?: string, suite?: string, message: string, meta?: Record<string, unknown> }} ReportedError
 */

/** @typedef {{ tests: readonly ReportedTest[], errors: readonly ReportedError[] }} TestReport */

export default class TestReporter {
  #file = '';
  /** Files of the run, each until it has ended. */
  #open = new Set();
  #running = new Set();

  /** @param {import('vitest/node').Vitest} vitest */
  onInit(vitest) {
    this.#file = vitest.config.outputFile;
  }

  /** @type {import('vitest/reporters').Reporter['onTestRunStart']} */
  onTestRunStart(specifications) {
    this.#open = new Set(specifications.map(({ moduleId }) => moduleId));
  }

  /** @type {import('vitest/reporters').Reporter['onTestModuleQueued']} */
  onTestModuleQueued({ moduleId }) {
    this.#running.add(relative(root, moduleId));
    this.#keepRunning();
  }

  /** @type {import('vitest/reporters').Reporter['onTestModuleEnd']} */
  onTestModuleEnd({ moduleId }) {
    this.#open.delete(moduleId);
    this.#running.delete(relative(root, moduleId));
    this.#keepRunning();
  }

  #keepRunning() {
    try {
      writeFileSync(runningFiles(this.#file), JSON.stringify([...this.#running]));
    } catch {
      // It only helps where the run ends without a report.
    }
  }

  /** @type {import('vitest/reporters').Reporter['onTestRunEnd']} */
  onTestRunEnd(modules, unhandledErrors) {
    const lost = [...this.#open].filter((file) => this.#running.has(relative(root, file)));
    const report = {
      tests: modules.flatMap((module) => [...module.children.allTests()].map(testOf)),
      errors: [
        ...modules.flatMap((module) => [module, ...module.children.allSuites()].flatMap(errorsOf)),
        ...unhandledErrors.map((error) => ({ message: messageOf(error) })),
        ...lost.map((file) => ({ file, message: 'Error: the process that ran this file ended before the file did' })),
      ],
    };
    writeFileSync(this.#file, JSON.stringify(report));
  }
}

/** @returns {ReportedTest} */
function testOf(test) {
  const { state, errors = [] } = test.result();
  return {
    file: test.module.moduleId,
    line: test.location?.line,
    name: nameOf(test),
    status: state,
    errors: errors.map(messageOf),
    meta: test.meta(),
  };
}

/** @returns {readonly ReportedError[]} */
function errorsOf(suite) {
  const of = suite.type === 'module' ? { file: suite.moduleId } : { file: suite.module.moduleId, suite: nameOf(suite) };
  const { evidence } = (suite.type === 'module' ? suite : suite.module).meta();
  return suite.errors().map((error) => ({ ...of, message: messageOf(error), meta: { evidence } }));
}

function nameOf(task) {
  return task.parent.type === 'module' ? task.name : `${nameOf(task.parent)} ${task.name}`;
}

/** The stack of a time-out begins with a placeholder, so only its frames are taken. The cause follows. */
function messageOf({ name = 'Error', message, diff, stack = '', cause }) {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const causes = typeof cause?.message === 'string' ? [`caused by ${messageOf(cause)}`] : [];
  const title = name.replace(/^Caused by: /, ''); // the name of a cause, where Vitest has made it
  const lines = [`${title}: ${message}`, ...(diff === undefined ? [] : [diff]), ...frames, ...causes];
  return stripVTControlCharacters(lines.join('\n'));
}
