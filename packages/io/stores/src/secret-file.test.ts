// A token of the state directory: made once, and replaced where it cannot be trusted.
import { chmodSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keepSecret, readSecret, removeSecret } from './secret-file.js';
import { createTempDirectories } from './testing/temp-directory.js';

const directories = createTempDirectories();
afterAll(directories.removeAll);

it('makes a token that only its owner reads, and keeps it', async () => {
  const directory = await directories.create();
  expect(await readSecret(directory, 'operator-token')).toBeUndefined();
  const token = await keepSecret(directory, 'operator-token');
  const file = join(directory, 'operator-token');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${token}\n`, 0o600]);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect([await keepSecret(directory, 'operator-token'), await readSecret(directory, 'operator-token')]).toEqual([
    token,
    token,
  ]);
  expect(await keepSecret(directory, 'service-token')).not.toBe(token);
});

it('creates another token if the file is missing, holds no token, is readable by others, or is a link', async () => {
  const directory = await directories.create();
  const file = join(directory, 'operator-token');
  const seen = [await keepSecret(directory, 'operator-token')];
  await removeSecret(directory, 'operator-token');
  seen.push(await keepSecret(directory, 'operator-token'));
  writeFileSync(file, 'guessed\n');
  seen.push(await keepSecret(directory, 'operator-token'));
  chmodSync(file, 0o644);
  seen.push(await keepSecret(directory, 'operator-token'));
  const planted = join(directory, 'planted');
  writeFileSync(planted, `${'a'.repeat(43)}\n`, { mode: 0o600 });
  unlinkSync(file);
  symlinkSync(planted, file);
  seen.push(await keepSecret(directory, 'operator-token'));
  expect(new Set(seen).size).toBe(5);
  expect([statSync(file).mode & 0o777, readFileSync(planted, 'utf8')]).toEqual([0o600, `${'a'.repeat(43)}\n`]);
});
