// The sources of the product, without tests.
import { execFileSync } from 'node:child_process';
import { root } from '../build/workspace.mjs';

/** @returns {string[]} paths from the root of the repository */
export function productFiles() {
  const patterns = [
    'packages/**/src/**/*.ts',
    'packages/**/src/**/*.tsx',
    'apps/**/src/**/*.ts',
    'apps/**/src/**/*.tsx',
  ];
  return execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', ...patterns.map((pattern) => `:(glob)${pattern}`)],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
    .split('\n')
    .filter((file) => file !== '' && !/\.test\.\w+$|\/testing\//.test(file));
}
