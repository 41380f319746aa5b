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
    afterAll(({}, file) => { file.meta.evidence = { logs: [{ of: 'server', lines: ['no port'] }], pictures: [] }; });
    describe('servers', () => {
      beforeAll(() => { throw new TypeError('no server'); });
      it('answer', () => {});
    });
    it('passes', () => { Promise.reject(new Error('not waited for')); });`,
  'broken.test.mjs': `throw new Error('cannot be loaded');`,
  'empty.test.mjs': '',
  'killed.test.mjs': `it('ends its process', () => process.kill(process.pid, 'SIGKILL'));`,
  'unloaded.test.mjs': `process.kill(process.pid, 'SIGKILL'); it('is never known', () => {});`,
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
        ...['ends its process', fileOf('killed.test.mjs'), fileOf('unloaded.test.mjs'), 'e2e', 'e2e'],
      ].sort(),
    );
  });

  it('takes a failure with its message, its difference, its line, its seed and its evidence', () => {
    const { message, ...rest } = failureOf('a call is answered') ?? {};
    expect(rest).toEqual({
      stage: 'e2e',
      test: 'a call is answered',
      file: fileOf('calls.test.mjs'),
      line: 5,
      seed: '-17',
      logs: [{ of: 'daemon', lines: ['late'] }],
      pictures: ['a.png'],
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
    expect(failureOf('servers')).toMatchObject({ file: fileOf('hooks.test.mjs'), line: 4 });
    expect(failureOf('servers')?.message).toMatch(/^TypeError: no server\n/);
  });

  it('takes what the processes of a suite that failed have logged', () => {
    expect(failureOf('servers')?.logs).toEqual([{ of: 'server', lines: ['no port'] }]);
  });

  it('takes an error that no test has waited for', () => {
    const messages = report.failures.filter(({ test }) => test === 'e2e').map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringMatching(/^Error: not waited for\n/));
  });

  it.each(['killed.test.mjs', 'unloaded.test.mjs'])('names a file whose process ended while it ran: %s', (name) => {
    expect(failureOf(fileOf(name))?.message).toBe('Error: the process that ran this file ended before the file did');
  });

  it('names the test that did not end', () => {
    expect(failureOf('ends its process')?.message).toBe('the test did not end');
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
