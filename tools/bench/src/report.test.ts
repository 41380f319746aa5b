import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Circumstances, replaceMeasured, toLines, toMarkdown } from './report.js';
import { atLeast, atMost, isMet, type Row, under } from './rows.js';

const ratio: Row = {
  scenario: 'calls, 32 in flight',
  beside: 'bare Hono | JSON echo',
  figures: [0.34, 0.36, 0.38],
  digits: 2,
  target: atLeast(0.35),
};
const rate: Row = { scenario: 'keyed calls', figures: [1200, 1400], unit: 'per second', digits: 0 };
const at: Circumstances = {
  machine: '2 x Some CPU, 8 GiB',
  node: 'v20.19.0',
  commit: 'abc1234',
  date: '2026-01-02T03:04:05Z',
  rounds: 3,
  cores: 2,
  load: [0.25, 3],
};

test('writes a table with target and verdict, and under what circumstances it was measured', () => {
  expect(toMarkdown([ratio, rate], at)).toBe(
    `<!-- what \`npm run bench\` measured: begin -->

- 2026-01-02T03:04:05Z, commit abc1234
- Node v20.19.0; 2 x Some CPU, 8 GiB
- Load average over the last minute: 0.3 before the run, 3.0 after it, on 2 cores
- 3 alternating rounds; the median counts, with the least and the most of all rounds behind it

| Scenario | Measured | Beside | Target | |
|---|---|---|---|---|
| calls, 32 in flight | 0.36 (0.34 to 0.38) | bare Hono \\| JSON echo | at least 0.35 | met |
| keyed calls | 1400 (1200 to 1400) per second |  |  |  |

<!-- what \`npm run bench\` measured: end -->`,
  );
});

test('admits that the machine had other work to do when the run began', () => {
  expect(toMarkdown([rate], { ...at, load: [2.5, 1] })).toContain('\n- The machine was busy with other work: ');
  expect(toMarkdown([rate], { ...at, load: [2, 9] })).not.toContain('busy');
});

test('replaces what was measured before, and nothing around it', () => {
  const older = `# Title\n\n${toMarkdown([rate], at)}\n\nWhat was tried.\n`;

  const newer = replaceMeasured(older, toMarkdown([ratio], at));

  expect(newer).toBe(`# Title\n\n${toMarkdown([ratio], at)}\n\nWhat was tried.\n`);
  expect(() => replaceMeasured('# Title\n', 'figures')).toThrow('the document has no lines');
});

test('has its place in the document that it is written into', () => {
  const document = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');

  expect(replaceMeasured(document, toMarkdown([rate], at))).toContain('keyed calls | 1400');
});

test('shows the same on a screen, line by line', () => {
  expect(toLines([ratio, rate])).toEqual([
    'calls, 32 in flight  0.36 (0.34 to 0.38), beside bare Hono | JSON echo  (at least 0.35: met)',
    'keyed calls          1400 (1200 to 1400) per second',
  ]);
});

test.each([
  [atLeast(10), [10], true],
  [atLeast(10), [9.9], false],
  [atMost(10), [10], true],
  [under(10), [10], false],
  [under(10), [1, 2, 30], true],
  [under(10), [], false],
])('judges the median by the target %j: %j', (target, figures, met) => {
  expect(isMet({ scenario: 's', figures, digits: 0, target })).toBe(met);
});

test('has no verdict on what has no target', () => {
  expect(isMet(rate)).toBeUndefined();
});
