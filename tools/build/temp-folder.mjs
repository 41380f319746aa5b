// The folder for temporary files of tests. It is in memory where the machine has room: tests sync their files thousands
// of times, and none of these files has to survive a loss of power.
import { spawnSync } from 'node:child_process';
// Not by name: `statfsSync` is missing before Node 18.15, where a name that is missing hides which Node is needed.
import fs from 'node:fs';
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
  const folder = openIn(parent);
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Exits with the reason where the folder cannot be made. */
function openIn(parent) {
  try {
    removeAbandoned(parent);
    return makeFolder(parent);
  } catch ({ message }) {
    process.stderr.write(
      `Temporary files cannot be made in ${parent} (${message}): ` +
        'set TMPDIR to a folder that can be written to and has room, then run this again.\n',
    );
    process.exit(1);
  }
}

function makeFolder(parent) {
  const folder = fs.mkdtempSync(join(parent, `portico-test-${process.pid}-`));
  fs.chmodSync(folder, 0o711); // root starts PostgreSQL as another user
  return folder;
}

/** Has room, can be written to, and programs can be started from it. */
function isRoomy(parent) {
  try {
    const { bavail, bsize } = fs.statfsSync(parent);
    if (bavail * bsize < neededBytes) return false;
    const folder = makeFolder(parent);
    try {
      const program = join(folder, 'program');
      fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
      return spawnSync(program).status === 0;
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    return false;
  }
}

/** Folders of killed runs. */
function removeAbandoned(parent) {
  for (const name of fs.readdirSync(parent)) {
    const [, pid] = /^portico-test-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      fs.rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // A folder that cannot be removed stays: it belongs to another user, or is still written to.
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
