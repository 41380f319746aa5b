// Tests that fail in every way that Vitest has, and how `npm test` counts and shows them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReport } from './read-report.mjs';
import { root } from './root.mjs';
import { reporterArgs } from './stages.mjs';

const folder = mkdtempSync(join(tmpdir(), 'portico-report-'));

afterAll(() => rmSync(folder, { recursive: true }));

const files = {
  'calls.test.mjs': `
    describe('a call', () => {
      it('is answered', ({ task }) => {
        task.meta.evidence = { logs: [{ of: 'daemon', lines: ['late'] }], pictures: ['a.png'] };
        expect(['seed: -17']).toEqual([]);
      });
      it('ends', () => new Promise(() => {}), 10);
      it.skip('is left out', () => {});
      it.todo('is to be written');
      it('is refused', () => {});
    });`,
  'hooks.test.mjs': `
    describe('servers', () => {
      beforeAll(() => { throw new TypeError('no server'); });
      it('answer', () => {});
    });
    it('passes', () => { Promise.reject(new Error('not waited for')); });`,
  'broken.test.mjs': `throw new Error('cannot be loaded');`,
  'empty.test.mjs': '',
  'vitest.config.mjs': 'export default {};',
};

/** @type {ReturnType<typeof readReport>} */
let report;

beforeAll(() => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  report = run();
});

function run(...args) {
  const path = join(folder, 'report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', '--root', folder, '--globals', ...reporterArgs(path), ...args], {
    env: { ...process.env, VITEST: undefined },
    timeout: 50_000,
  });
  return readReport('e2e', path);
}

const fileOf = (name) => relative(root, join(folder, name));
const failureOf = (title) => report.failures.find(({ test }) => test === title);

describe('readReport', () => {
  it('counts what passed, and everything else once', () => {
    expect(report.passed).toBe(2);
    expect(report.failures.map(({ test }) => test).sort()).toEqual(
      [
        ...['a call is answered', 'a call ends', 'a call is left out', 'a call is to be written'],
        ...['servers', 'servers answer', 'e2e', fileOf('broken.test.mjs'), fileOf('empty.test.mjs')],
      ].sort(),
    );
  });

  it('takes a failure with its message, its difference, its line, its seed and its evidence', () => {
    const { message, ...rest } = failureOf('a call is answered') ?? {};
    expect(rest).toEqual({
      ...{ stage: 'e2e', test: 'a call is answered', file: fileOf('calls.test.mjs'), line: 5, seed: '-17' },
      ...{ logs: [{ of: 'daemon', lines: ['late'] }], pictures: ['a.png'] },
    });
    expect(message).toMatch(/^AssertionError: expected \[ 'seed: -17' \] to deeply equal \[\]/);
    expect(message).toContain('\n- []\n+ [\n+   "seed: -17",\n+ ]\n');
  });

  it('says that a test took too long', () => {
    expect(failureOf('a call ends')).toMatchObject({
      message: expect.stringMatching(/^Error: Test timed out in 10ms/),
    });
  });

  it.each(['a call is left out', 'a call is to be written', 'servers answer'])(
    'counts one that was not run: %s',
    (test) => {
      expect(failureOf(test)?.message).toBe('the test was not run (skipped)');
    },
  );

  it('takes the error of a hook of a suite', () => {
    expect(failureOf('servers')).toMatchObject({ file: fileOf('hooks.test.mjs'), line: 3 });
    expect(failureOf('servers')?.message).toMatch(/^TypeError: no server\n/);
  });

  it('takes an error that no test has waited for', () => {
    expect(failureOf('e2e')?.message).toMatch(/^Error: not waited for\n/);
  });

  it('takes the error of a file that cannot be loaded, or has no tests', () => {
    expect(failureOf(fileOf('broken.test.mjs'))?.message).toMatch(/^Error: cannot be loaded\n/);
    expect(failureOf(fileOf('empty.test.mjs'))?.message).toMatch(/^Error: No test suite found/);
  });

  it('counts a run without tests as a failure', () => {
    const { passed, failures } = run('none', '--passWithNoTests');
    expect([passed, failures.map(({ message }) => message)]).toEqual([0, ['no test was run']]);
  });

  it('counts a report that is not there as a failure', () => {
    const { passed, failures } = readReport('e2e', join(folder, 'none.json'));
    expect([passed, failures.length]).toEqual([0, 1]);
    expect(failures[0]?.message).toMatch(/^no report was written to /);
  });
});
