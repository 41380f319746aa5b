// The directory that holds a daemon's state: readable by its owner only, used by one process at a time.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, messageOf } from './files.js';
import { type LockAttempt, lockHolder, takeLock } from './process-lock.js';

export interface StateDirectory {
  readonly path: string;
  /** Gives the directory back. */
  close(): Promise<void>;
}

/** The directory is in use by another process, or cannot be used at all. */
export class StateDirectoryError extends Error {}

/** Another process has it, and may give it back. */
export class StateDirectoryInUse extends StateDirectoryError {}

/** Creates the directory (0700) where it is missing, and takes its lock. @throws StateDirectoryError */
export async function openStateDirectory(path: string): Promise<StateDirectory> {
  const lock = await prepare(path).catch((error: unknown) => {
    throw new StateDirectoryError(`state directory ${path} cannot be used: ${messageOf(error)}`);
  });
  if (lock.status === 'held') {
    throw new StateDirectoryInUse(
      `state directory ${path} is in use by process ${lock.pid}; stop it, or choose another with --state-dir DIR`,
    );
  }
  return { path, close: lock.release };
}

async function prepare(path: string): Promise<LockAttempt> {
  await ensureDirectory(path);
  await chmod(path, 0o700);
  return takeLock(lockOf(path));
}

/** The process that uses a state directory now; null for none. Takes nothing and changes nothing. */
export function readLockHolder(path: string): Promise<number | null> {
  return lockHolder(lockOf(path));
}

function lockOf(path: string): string {
  return join(path, 'lock');
}
