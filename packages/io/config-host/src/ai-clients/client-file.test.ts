// A client's file is replaced whole, and only while it is as it was read.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readClientFile, replaceClientFile } from './client-file.js';
import { createHomes } from './testing/homes.js';

const { tempFolder, removeAll } = createHomes();
afterEach(removeAll);

it('leaves what another program has written meanwhile', async () => {
  const folder = await tempFolder();
  const path = join(folder, 'a.json');
  await writeFile(path, 'one');
  const before = await readClientFile(path);
  await writeFile(path, 'two');
  await expect(replaceClientFile(path, before, Buffer.from('three'))).rejects.toThrow(
    'another program has changed it meanwhile; try again',
  );
  await expect(replaceClientFile(path, null, Buffer.from('three'))).rejects.toThrow('meanwhile');
  expect(await readFile(path, 'utf8')).toBe('two');
  expect(await readdir(folder)).toEqual(['a.json']);
});

it('says why a file cannot be written', async () => {
  const path = join(await tempFolder(), 'gone', 'a.json');
  await expect(replaceClientFile(path, null, Buffer.from('x'))).rejects.toThrow('it cannot be written (ENOENT)');
});
