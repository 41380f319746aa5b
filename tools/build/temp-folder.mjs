// The folder for temporary files of tests. It is in memory where the machine has room: tests sync their files thousands
// of times, and none of these files has to survive a loss of power.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

/**
 * Makes the folder of this run, which is removed when this process exits. It is in the TMPDIR of this process if it has one.
 * @returns {string} the TMPDIR of tests
 */
export function openTempFolder() {
  const parent = process.env.TMPDIR === undefined && isRoomy(inMemory) ? inMemory : tmpdir();
  removeAbandoned(parent);
  const folder = makeFolder(parent);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function makeFolder(parent) {
  const folder = mkdtempSync(join(parent, `portico-test-${process.pid}-`));
  chmodSync(folder, 0o711); // root starts PostgreSQL as another user
  return folder;
}

/** Has room, can be written to, and programs can be started from it. */
function isRoomy(parent) {
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (bavail * bsize < neededBytes) return false;
    const folder = makeFolder(parent);
    try {
      const program = join(folder, 'program');
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
      return spawnSync(program).status === 0;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    return false;
  }
}

/** Those of killed runs. Those of another user cannot be removed. */
function removeAbandoned(parent) {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^portico-test-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch (error) {
      if (!['EACCES', 'EPERM'].includes(error.code)) throw error;
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
