// The lock file on a file system that has no room left: the accepted file stays whole.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLockFile } from './lock-file.js';

const capacity = 64 * 1024;

/** A folder in a file system of its own; undefined if this user may mount none. */
function smallFolder(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'portico-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${capacity}`, 'tmpfs', folder], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    console.warn(`no file system of ${capacity} bytes to fill: ${mounted.error?.message ?? mounted.stderr}`);
    return undefined;
  }
  onTestFinished(() => void spawnSync('umount', [folder]));
  return folder;
}

it('keeps the file that is there if the file system is full, and writes again once it has room', async () => {
  const folder = smallFolder();
  if (folder === undefined) return;
  const path = join(folder, 'tools.lock');
  writeFileSync(path, 'accepted');
  const file = openLockFile(path, () => {});
  expect(await file.read()).toBe('accepted');
  await expect(file.write('accepted', 'x'.repeat(2 * capacity))).rejects.toThrow(/ENOSPC|no space/i);
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['accepted', ['tools.lock']]);
  await file.write('accepted', 'more');
  expect(await file.read()).toBe('more');
});
