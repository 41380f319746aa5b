import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LockError, takeLock } from './process-lock.js';
import { deadPid } from './testing/dead-pid.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('names the process that is about to remove a stale lock and does not go on', async () => {
  const lock = join(folder, 'lock');
  await writeFile(lock, JSON.stringify({ pid: deadPid, startedAt: null }));
  await writeFile(`${lock}.takeover`, JSON.stringify({ pid: process.ppid, startedAt: null }));
  await expect(takeLock(lock, { attempts: 2 })).rejects.toThrow(
    new LockError(
      `lock ${lock} cannot be taken: process ${process.ppid} holds ${lock}.takeover and does not go on`,
      'end that process, then start again',
    ),
  );
});
