// The lock file on disk: of several writers at once one writes, and the others change nothing.
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxLockBytes } from '@portico/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLockFile } from './lock-file.js';
import { maxFileBytes } from './whole-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-lock-'));
  path = join(folder, 'tools.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openLockFile(path, () => {});

it('is written by one of 20 writers that have read the same text, whole, and leaves nothing beside it', async () => {
  writeFileSync(path, 'before');
  const texts = Array.from({ length: 20 }, (_, at) => `${at}`.repeat(10_000));
  const ended = await Promise.allSettled(texts.map((text) => open().write('before', text)));
  const written = texts.filter((_, at) => ended[at]?.status === 'fulfilled');
  expect(written).toEqual([readFileSync(path, 'utf8')]);
  const reasons = ended.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  expect(reasons).toHaveLength(19);
  for (const reason of reasons) expect(reason).toMatch(/another program (is writing it|changed it).*; try again/);
  expect(readdirSync(folder)).toEqual(['tools.lock']);
});

it('is written where a process ended in the middle of a write more than a minute ago', async () => {
  const claim = `${path}.writing`;
  writeFileSync(claim, '1');
  await expect(open().write(undefined, 'text')).rejects.toThrow(`another program is writing it (${claim}); try again`);
  utimesSync(claim, new Date(0), new Date(0));
  await open().write(undefined, 'text');
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['text', ['tools.lock']]);
});

it('is not written where its folder cannot be, and the reason is given', async () => {
  rmSync(folder, { recursive: true });
  await expect(open().write(undefined, 'text')).rejects.toThrow('it cannot be written (ENOENT)');
});

it('has the size that an acceptance may write', () => {
  expect(maxFileBytes).toBe(maxLockBytes);
});
