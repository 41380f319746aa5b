// One process at a time holds a state directory, and no other user can read it. On a real file system.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimStateDirectory, openStateDirectory, readClaimant, readLockHolder } from './state-directory.js';
import { deadPid } from './testing/dead-pid.js';

let root = '';
let path = '';
let lock = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portico-state-'));
  path = join(root, 'nested', 'state');
  lock = join(path, 'lock');
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Leaves a lock as another process would have. */
async function leaveLock(text: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await writeFile(lock, text);
}

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

describe('openStateDirectory', () => {
  it('creates the directory for its owner only, with a lock for its owner only', async () => {
    const directory = await openStateDirectory(path);
    expect(directory.path).toBe(path);
    expect([await modeOf(path), await modeOf(lock)]).toEqual(['700', '600']);
    expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ pid: process.pid });
    await directory.close();
  });

  it('has an id that stays, for its owner only', async () => {
    const first = await openStateDirectory(path);
    const id = await first.id();
    expect([id, await first.id(), await modeOf(join(path, 'id'))]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      id,
      '600',
    ]);
    await first.close();
    const second = await openStateDirectory(path);
    expect(await second.id()).toBe(id);
    await second.close();
  });

  it('reports an invalid id, and does not replace it', async () => {
    const directory = await openStateDirectory(path);
    await writeFile(join(path, 'id'), 'cut');
    await expect(directory.id()).rejects.toThrow(/id holds no id; delete it/);
    expect(await readFile(join(path, 'id'), 'utf8')).toBe('cut');
    await directory.close();
  });

  it('takes rights of others away from a directory that was there before', async () => {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const directory = await openStateDirectory(path);
    expect(await modeOf(path)).toBe('700');
    await directory.close();
  });

  it('leaves nothing behind when it is closed, and can be opened again', async () => {
    const first = await openStateDirectory(path);
    await first.close();
    expect(await readdir(path)).toEqual([]);
    const second = await openStateDirectory(path);
    expect(await readdir(path)).toEqual(['lock']);
    await second.close();
  });

  it('refuses a directory in use, says which process holds it, and leaves the lock as it is', async () => {
    await leaveLock(JSON.stringify({ pid: process.ppid, startedAt: null }));
    await expect(openStateDirectory(path)).rejects.toThrow(
      `state directory ${path} is in use by process ${process.ppid}; stop it, or choose another with --state-dir DIR`,
    );
    expect(await readdir(path)).toEqual(['lock']);
  });

  it('says of a directory in use whether its holder hands it over', async () => {
    for (const handsOver of [true, false]) {
      const directory = await openStateDirectory(path, { handsOver });
      await expect(openStateDirectory(path)).rejects.toMatchObject({ holder: { pid: process.pid, handsOver } });
      await directory.close();
    }
  });

  it('is claimed by one process at a time, of which those who have it now can know', async () => {
    await leaveLock(JSON.stringify({ pid: process.ppid, startedAt: null }));
    expect(await readClaimant(path)).toBeNull();
    const release = await claimStateDirectory(path);
    expect(await readClaimant(path)).toBe(process.pid);
    await expect(claimStateDirectory(path)).rejects.toThrow(
      `state directory ${path} is in use by process ${process.pid}, which takes it over from another at this moment; stop it, or choose another with --state-dir DIR`,
    );
    await release();
    expect([await readClaimant(path), await readdir(path)]).toEqual([null, ['lock']]);
  });

  it('refuses a second open of the same process', async () => {
    const directory = await openStateDirectory(path);
    await expect(openStateDirectory(path)).rejects.toThrow(`is in use by process ${process.pid};`);
    await directory.close();
  });

  it.each<[string, () => string]>([
    ['a process that is gone', () => JSON.stringify({ pid: deadPid, startedAt: null })],
    ['a process whose number another one has now', () => JSON.stringify({ pid: process.ppid, startedAt: '1' })],
    ['nobody that can be read', () => '{"pid": 12'],
    ['nobody at all', () => ''],
    ['a number that no process has', () => '{"pid": 0}'],
    ['null', () => 'null'],
  ])('takes over the lock of %s', async (_what, textOf) => {
    await leaveLock(textOf());
    const directory = await openStateDirectory(path);
    expect(await readdir(path)).toEqual(['lock']);
    expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ pid: process.pid });
    await directory.close();
  });

  it('gives the directory to one of many that ask at once, also over a stale lock', async () => {
    for (let round = 0; round < 20; round++) {
      await leaveLock(JSON.stringify({ pid: process.ppid, startedAt: '1' }));
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => openStateDirectory(path)));
      const opened = results.filter((result) => result.status === 'fulfilled');
      const refused = results.filter((result) => result.status === 'rejected');
      expect(opened).toHaveLength(1);
      for (const { reason } of refused) expect(reason.message).toContain(`is in use by process ${process.pid};`);
      await opened[0]?.value.close();
      expect(await readdir(path)).toEqual([]);
    }
  });

  it('goes on where another process died while it took a stale lock over', async () => {
    const stale = JSON.stringify({ pid: deadPid, startedAt: null });
    await leaveLock(stale);
    await writeFile(join(path, 'lock.takeover'), stale);
    const directory = await openStateDirectory(path);
    expect(await readdir(path)).toEqual(['lock']);
    await directory.close();
  });

  it('waits for another process that is slow to take a stale lock over', async () => {
    await leaveLock(JSON.stringify({ pid: deadPid, startedAt: null }));
    const claim = join(path, 'lock.takeover');
    await writeFile(claim, JSON.stringify({ pid: process.ppid, startedAt: null }));
    const opening = openStateDirectory(path);
    await Promise.race([opening, sleep(1500)]);
    await rm(claim);
    await (await opening).close();
  });

  it('says why a directory cannot be used', async () => {
    await writeFile(join(root, 'file'), '');
    const file = join(root, 'file');
    await expect(openStateDirectory(file)).rejects.toThrow(`state directory ${file} cannot be used: EEXIST`);
  });
});

describe('readLockHolder', () => {
  it('returns the holder of a directory, and null if there is no directory or the holder has ended', async () => {
    expect(await readLockHolder(path)).toBeNull();
    const directory = await openStateDirectory(path);
    expect(await readLockHolder(path)).toBe(process.pid);
    await directory.close();
    await leaveLock(JSON.stringify({ pid: deadPid, startedAt: null }));
    expect(await readLockHolder(path)).toBeNull();
  });
});
