// A client's file is replaced whole, and only while it is as it was read.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createHomes } from './ai-clients/testing/homes.js';
import { readWholeFile, replaceWholeFile } from './whole-file.js';

const { tempFolder, removeAll } = createHomes();
afterEach(removeAll);

it('keeps a concurrent change of another program', async () => {
  const folder = await tempFolder();
  const path = join(folder, 'a.json');
  await writeFile(path, 'one');
  const before = await readWholeFile(path);
  await writeFile(path, 'two');
  await expect(replaceWholeFile(path, before, Buffer.from('three'))).rejects.toThrow(
    'another program has changed it; try again',
  );
  await expect(replaceWholeFile(path, null, Buffer.from('three'))).rejects.toThrow('another program has changed it');
  expect(await readFile(path, 'utf8')).toBe('two');
  expect(await readdir(folder)).toEqual(['a.json']);
});

it('says why a file cannot be written', async () => {
  const path = join(await tempFolder(), 'gone', 'a.json');
  await expect(replaceWholeFile(path, null, Buffer.from('x'))).rejects.toThrow('it cannot be written (ENOENT)');
});
