// What a JSON report of Vitest says, as `npm test` counts and shows it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readReport } from './read-report.mjs';
import { root } from './root.mjs';

const folder = mkdtempSync(join(tmpdir(), 'portico-report-'));
const file = join(folder, 'report.json');

afterEach(() => rmSync(file, { force: true }));

function read(report) {
  writeFileSync(file, JSON.stringify(report));
  return readReport('e2e', file);
}

const suite = (assertionResults, message = '') => ({
  name: join(root, 'tools/e2e/src/calls.e2e.ts'),
  message,
  assertionResults,
});
const at = `at ${join(root, 'tools/e2e/src/calls.e2e.ts')}:12:3`;

describe('readReport', () => {
  it('takes a failure with its message, its line, its seed and its evidence', () => {
    const evidence = { logs: [{ of: 'daemon', lines: ['late'] }], pictures: ['a.png'] };
    const failed = {
      fullName: 'a call is answered',
      status: 'failed',
      failureMessages: [`Error: \u001b[31mProperty failed after 1 tests\u001b[39m { seed: -17 }\n    ${at}`],
      meta: { evidence },
    };
    const { passed, failures } = read({ numTotalTests: 2, numPassedTests: 1, testResults: [suite([failed])] });
    expect(passed).toBe(1);
    expect(failures).toEqual([
      {
        stage: 'e2e',
        test: 'a call is answered',
        file: 'tools/e2e/src/calls.e2e.ts',
        line: 12,
        message: `Error: Property failed after 1 tests { seed: -17 }\n    ${at}`,
        seed: '-17',
        ...evidence,
      },
    ]);
  });

  it.each(['skipped', 'pending', 'todo'])('counts a test that is %s as failed', (status) => {
    const { failures } = read({
      numTotalTests: 1,
      numPassedTests: 0,
      testResults: [suite([{ fullName: 'one', status }])],
    });
    expect(failures).toMatchObject([{ test: 'one', message: `the test was not run (${status})` }]);
  });

  it('takes the error of a file that could not be loaded', () => {
    const { failures } = read({
      numTotalTests: 1,
      numPassedTests: 1,
      testResults: [suite([], 'Cannot find module x')],
    });
    expect(failures).toMatchObject([{ test: 'tools/e2e/src/calls.e2e.ts', message: 'Cannot find module x' }]);
  });

  it('counts a report without tests as a failure', () => {
    expect(read({ numTotalTests: 0, numPassedTests: 0, testResults: [] }).failures).toHaveLength(1);
  });

  it('says that a test took too long, for which Vitest has a placeholder', () => {
    const { failures } = read({
      numTotalTests: 1,
      numPassedTests: 0,
      testResults: [
        suite([{ status: 'failed', fullName: 'x', failureMessages: ['Error: STACK_TRACE_ERROR\n    at y'] }]),
      ],
    });
    expect(failures[0]?.message).toMatch(/^Error: the test or its hook took longer than its limit\n/);
  });

  it('counts a report that is not there as a failure', () => {
    expect(readReport('e2e', join(folder, 'none.json'))).toMatchObject({
      passed: 0,
      failures: [{ message: expect.stringContaining('no report was written') }],
    });
    rmSync(folder, { recursive: true });
  });
});
