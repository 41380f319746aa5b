import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { publicEntries, publicValues } from '../docstrings.mjs';

const manifest = {
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './model': './model/en.bin' },
};
const project = { folder: 'lib', name: '@portico/lib', manifest };
const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

describe('the check of docstrings', () => {
  it('names each exported value without a description, and where it is declared', () => {
    const root = folderWith({
      'index.ts':
        "export { bare, described, type Shape, tagged } from './values.js';\n/** A constant. */\nexport const limit = 1;\n",
      'values.ts': [
        'export interface Shape {}',
        'export function bare() {}',
        '/** Does something. */',
        'export function described() {}',
        '/** @param n a number */',
        'export function tagged(n: number) { return n; }',
      ].join('\n'),
    });
    expect(publicValues(root, publicEntries(project))).toEqual([
      { entry: '@portico/lib', name: 'bare', place: 'lib/src/values.ts:2', isDocumented: false },
      { entry: '@portico/lib', name: 'described', place: 'lib/src/values.ts:4', isDocumented: true },
      { entry: '@portico/lib', name: 'tagged', place: 'lib/src/values.ts:6', isDocumented: false },
      { entry: '@portico/lib', name: 'limit', place: 'lib/src/index.ts:3', isDocumented: true },
    ]);
  });

  it('fails for an entry that is missing', () => {
    expect(() => publicValues(folderWith({}), publicEntries(project))).toThrow(
      'lib/src/index.ts: the entry of @portico/lib is missing or exports nothing',
    );
  });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'portico-docstrings-'));
  roots.push(root);
  mkdirSync(join(root, 'lib/src'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'lib/src', name), text);
  return root;
}
