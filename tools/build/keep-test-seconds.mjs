// `node tools/build/keep-test-seconds.mjs` after `npm test`: keeps how long each end-to-end file took, by which the next
// run orders them. Worth it when the order has become wrong; an old figure makes no run wrong, only longer.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './workspace.mjs';

const { testResults } = JSON.parse(readFileSync(join(root, '.cache/reports/e2e.json'), 'utf8'));
const seconds = testResults
  .map(({ name, startTime, endTime }) => [relative(root, name), Math.round((endTime - startTime) / 1000)])
  .sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(join(root, 'tools/build/test-seconds.json'), `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`);
