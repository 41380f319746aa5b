import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { announceDaemonAddress, findDaemonAddress } from './daemon-address.js';
import { deadPid } from './testing/dead-pid.js';

const url = 'http://127.0.0.1:9';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-address-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'http-address');

it('is found while its process runs, and not after it was taken away', async () => {
  const remove = await announceDaemonAddress(folder, url);
  expect(await findDaemonAddress(folder)).toBe(url);
  await remove();
  expect(await findDaemonAddress(folder)).toBeUndefined();
});

it('ignores the address of a process that has ended, and of a later process with the same pid', async () => {
  await announceDaemonAddress(folder, url);
  const [, holder = ''] = readFileSync(file(), 'utf8').split('\n');
  for (const other of [`${deadPid} ${holder.split(' ')[1]}`, `${process.pid} another`, '']) {
    writeFileSync(file(), `${url}\n${other}\n`);
    expect(await findDaemonAddress(folder)).toBeUndefined();
  }
  writeFileSync(file(), `${url}\n`); // without a process
  expect(await findDaemonAddress(folder)).toBeUndefined();
});
