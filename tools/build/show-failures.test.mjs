// The end of a failed run: everything that is needed to begin with, in few lines.
import { describe, expect, it } from 'vitest';
import { showFailures } from './show-failures.mjs';

const failure = (rest = {}) => ({
  stage: 'e2e',
  test: 'a call is answered',
  file: 'tools/e2e/src/calls.e2e.ts',
  line: 12,
  message: 'AssertionError: expected 1 to be 2\n\n    at /x/calls.e2e.ts:12:3',
  logs: [],
  pictures: [],
  ...rest,
});

describe('showFailures', () => {
  it('names the test, its file and line, the assertion, the seed, the pictures and the logs', () => {
    const logs = [{ of: 'daemon 7', lines: ['{"level":"error"}'] }];
    expect(showFailures([failure({ seed: '42', pictures: ['.cache/failures/a.png'], logs })])).toEqual([
      'FAILED e2e: a call is answered (tools/e2e/src/calls.e2e.ts:12)',
      '    AssertionError: expected 1 to be 2',
      '    seed: 42',
      '    picture: .cache/failures/a.png',
      '    log of daemon 7:',
      '      {"level":"error"}',
    ]);
  });

  it('shares its lines: every failure keeps its assertion, seed, picture and the end of its log', () => {
    const message = ['Error: what failed', '- Expected', '+ Received', ...Array(30).fill('difference')].join('\n');
    const lines = Array.from({ length: 30 }, (_, index) => `log ${index}`);
    const failures = [
      ...Array.from({ length: 6 }, () =>
        failure({ message, seed: '7', pictures: ['a.png'], logs: [{ of: 'd', lines }] }),
      ),
      failure(),
    ];
    const shown = showFailures(failures);
    expect(shown).toHaveLength(54);
    for (const each of ['Error: what failed', 'seed: 7', 'picture: a.png', 'log of d:', 'log 29']) {
      expect(shown.filter((line) => line.trim() === each)).toHaveLength(6);
    }
    expect(shown.filter((line) => line.trim() === 'difference').length).toBeGreaterThanOrEqual(6);
    expect(shown.join()).not.toContain('Expected');
  });

  it('leaves out tests that were not run because their suite failed, and counts them', () => {
    const hook = failure({ test: 'servers', message: 'TypeError: no server' });
    const notRun = failure({ test: 'servers answer', message: 'the test was not run (skipped)' });
    const skipped = failure({ test: 'a call ends', message: 'the test was not run (skipped)' });
    expect(showFailures([hook, notRun, skipped]).filter((line) => !line.startsWith(' '))).toEqual([
      'FAILED e2e: servers (tools/e2e/src/calls.e2e.ts:12)',
      'FAILED e2e: a call ends (tools/e2e/src/calls.e2e.ts:12)',
      'and 1 more, in .cache/test-report.json',
    ]);
  });

  it('shows nothing where nothing failed', () => {
    expect(showFailures([])).toEqual([]);
  });

  it.each([1, 2, 7, 53, 54, 55, 300])('needs at most 54 lines for %i failures, and names as many as fit', (count) => {
    const long = failure({
      message: 'word '.repeat(200).replaceAll(' ', '\n'),
      logs: [{ of: 'daemon', lines: Array(100).fill('line') }],
    });
    const lines = showFailures(Array.from({ length: count }, () => long));
    expect(lines.length).toBeLessThanOrEqual(54);
    const named = lines.filter((line) => line.startsWith('FAILED')).length;
    expect(named).toBe(Math.min(count, count > 54 ? 53 : count));
    if (count > 54) expect(lines.at(-1)).toBe(`and ${count - 53} more, in .cache/test-report.json`);
  });

  it('cuts a line that is too long to read', () => {
    const [, line] = showFailures([failure({ message: 'x'.repeat(1000) })]);
    expect(line).toHaveLength(221);
  });
});
