// The directory that holds a daemon's state: readable by its owner only, used by one process at a time.
import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, hasCode, messageOf } from './files.js';
import { type LockAttempt, lockHolder, takeLock } from './process-lock.js';

export interface StateDirectory {
  readonly path: string;
  /**
   * What tells it from other state directories, for as long as it is there: 32 lower-case hex characters. It is made
   * when it is asked for first. @throws StateDirectoryError
   */
  id(): Promise<string>;
  /** Gives the directory back. */
  close(): Promise<void>;
}

/** The directory is in use by another process, or cannot be used at all. */
export class StateDirectoryError extends Error {}

/** Another process has it, and may give it back. */
export class StateDirectoryInUse extends StateDirectoryError {}

/** Creates the directory (0700) where it is missing, and takes its lock. @throws StateDirectoryError */
export async function openStateDirectory(path: string): Promise<StateDirectory> {
  const refuse = (error: unknown): never => {
    throw new StateDirectoryError(`state directory ${path} cannot be used: ${messageOf(error)}`);
  };
  const lock = await prepare(path).catch(refuse);
  if (lock.status === 'held') {
    throw new StateDirectoryInUse(
      `state directory ${path} is in use by process ${lock.pid}; stop it, or choose another with --state-dir DIR`,
    );
  }
  return { path, id: () => idOf(path).catch(refuse), close: lock.release };
}

/** Of whoever holds the lock. */
async function idOf(path: string): Promise<string> {
  const file = join(path, 'id');
  const kept = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  });
  if (/^[0-9a-f]{32}\n$/.test(kept)) return kept.trimEnd();
  if (kept !== '') throw new Error(`${file} holds no id; delete it, and its audit chain begins anew`);
  const id = randomBytes(16).toString('hex');
  await writeFile(`${file}.new`, `${id}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return id;
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
