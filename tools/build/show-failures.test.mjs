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
    const [, told] = showFailures([failure({ message: 'x'.repeat(1000) })]);
    expect(told).toHaveLength(221);
  });
});
