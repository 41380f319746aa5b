// Summary of a build: empty if nothing was built, and the whole output if it failed.
import { describe, expect, it } from 'vitest';
import { sayBuilt } from './workspace.mjs';

const nx = (cached, all) => `NX   Successfully ran target build\n\n  Cache:             ${cached}/${all} hit (7%)\n`;

describe('sayBuilt', () => {
  it.each([
    ['nothing where every package came from the cache', { status: 0, output: nx(27, 27) }, ''],
    ['one line where some were built', { status: 0, output: nx(2, 27) }, 'Built 25 of 27 packages.\n'],
    [
      'the size of the console as well',
      { status: 0, output: `web console: 120.0 KB gzipped for the first page\n${nx(26, 27)}` },
      'Built 1 of 27 packages.\nweb console: 120.0 KB gzipped for the first page\n',
    ],
    ['nothing of an output that it does not know', { status: 0, output: 'NX done' }, ''],
  ])('says %s', (_title, run, expected) => {
    expect(sayBuilt(run)).toBe(expected);
  });

  it('says what failed, and what to do', () => {
    const said = sayBuilt({ status: 1, output: 'src/a.ts(1,1): error TS1: no\n\n' });
    expect(said).toMatch(/^src\/a\.ts\(1,1\): error TS1: no\nThe packages were not built: correct what is named above/);
  });
});
