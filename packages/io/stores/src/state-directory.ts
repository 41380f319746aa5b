// The directory that holds a daemon's state: readable by its owner only, used by one process at a time.
import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, hasCode, messageOf } from './files.js';
import { type Holder, type LockAttempt, type LockUse, lockHolder, takeLock } from './process-lock.js';

export interface StateDirectory {
  readonly path: string;
  /**
   * Identifies the state directory for its lifetime: 32 lower-case hex characters. It is created at the first request.
   * @throws StateDirectoryError
   */
  id(): Promise<string>;
  /** Gives the directory back. */
  close(): Promise<void>;
}

/** The directory is in use by another process, or cannot be used at all. */
export class StateDirectoryError extends Error {}

/** Another process has it, and may give it back. */
export class StateDirectoryInUse extends StateDirectoryError {
  readonly holder: Holder;

  /** @param reason what is to be said beside that, with what to do about it */
  constructor(path: string, { pid, handsOver }: Holder, reason = '; stop it') {
    super(`state directory ${path} is in use by process ${pid}${reason}, or choose another with --state-dir DIR`);
    this.holder = { pid, handsOver };
  }
}

/**
 * Creates the directory (0700) if it is missing, and takes its lock.
 * @param use shown to processes that find it locked
 * @throws StateDirectoryError
 */
export async function openStateDirectory(path: string, use: Pick<LockUse, 'handsOver'> = {}): Promise<StateDirectory> {
  const lock = await prepare(path, use).catch(refuse(path));
  if (lock.status === 'held') throw new StateDirectoryInUse(path, lock);
  return { path, id: () => idOf(path).catch(refuse(path)), close: lock.release };
}

/**
 * Claims the directory from its holder, until the returned function is called: processes that want it only for a while
 * leave it alone during the claim. @throws StateDirectoryError
 */
export async function claimStateDirectory(path: string): Promise<() => Promise<void>> {
  const claim = await takeLock(claimOf(path)).catch(refuse(path));
  if (claim.status === 'held') {
    throw new StateDirectoryInUse(path, claim, ', which takes it over from another at this moment; stop it');
  }
  return claim.release;
}

/** The process that the directory is to be handed over to; null for none. */
export function readClaimant(path: string): Promise<number | null> {
  return lockHolder(claimOf(path));
}

function refuse(path: string): (error: unknown) => never {
  return (error) => {
    throw new StateDirectoryError(`state directory ${path} cannot be used: ${messageOf(error)}`);
  };
}

/** The id, read by the holder of the lock. */
async function idOf(path: string): Promise<string> {
  const file = join(path, 'id');
  const kept = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  });
  if (/^[0-9a-f]{32}\n$/.test(kept)) return kept.trimEnd();
  if (kept !== '') throw new Error(`${file} holds no id; delete it, and a new audit chain begins`);
  const id = randomBytes(16).toString('hex');
  await writeFile(`${file}.new`, `${id}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return id;
}

async function prepare(path: string, use: LockUse): Promise<LockAttempt> {
  await ensureDirectory(path);
  await chmod(path, 0o700);
  return takeLock(lockOf(path), use);
}

/** The process that uses a state directory now; null for none. Takes nothing and changes nothing. */
export function readLockHolder(path: string): Promise<number | null> {
  return lockHolder(lockOf(path));
}

function lockOf(path: string): string {
  return join(path, 'lock');
}

function claimOf(path: string): string {
  return join(path, 'successor');
}
