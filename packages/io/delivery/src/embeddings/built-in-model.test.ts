// The model as it is installed, and what is said of one that is not whole.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBuiltInModel } from './built-in-model.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-model-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('is found where it is installed', async () => {
  const model = await readBuiltInModel();
  expect(model.understands('delete a file')).toBe(true);
  expect(model.embed('delete a file')).toHaveLength(model.dimensions);
});

it.each<[string, string | undefined, string]>([
  ['is missing', undefined, 'no such file'],
  ['is damaged', 'not a model', 'does not begin with a line that describes a model'],
])('is named where it %s, with the next step', async (what, contents, reason) => {
  const file = join(folder, `${what}.bin`);
  if (contents !== undefined) writeFileSync(file, contents);
  await expect(readBuiltInModel(file)).rejects.toThrow(reason);
  await expect(readBuiltInModel(file)).rejects.toThrow(`${file}: `);
  await expect(readBuiltInModel(file)).rejects.toThrow('install Portico again');
});
