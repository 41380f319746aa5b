// Directories that several make at the same moment. On a real file system.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureDirectory } from './files.js';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portico-files-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe('ensureDirectory', () => {
  it('makes what is missing on the way, for its owner only', async () => {
    const path = join(root, 'a', 'b', 'c');
    await ensureDirectory(path);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('700');
  });

  it('lets many make the same one at once', async () => {
    for (let round = 0; round < 50; round += 1) {
      const path = join(root, `round-${round}`, 'b', 'c');
      await Promise.all(Array.from({ length: 8 }, () => ensureDirectory(path)));
      expect((await stat(path)).isDirectory()).toBe(true);
    }
  });

  it('refuses a file where a directory should be', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(ensureDirectory(join(root, 'file'))).rejects.toThrow('EEXIST');
    await expect(ensureDirectory(join(root, 'file', 'below'))).rejects.toThrow('ENOTDIR');
  });
});
