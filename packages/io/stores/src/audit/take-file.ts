// Ensures that a file can hold the log, that no other user can read it, and that this process alone writes it.
import { chmod, open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureDirectory, hasCode } from '../files.js';
import { LockError, takeLock } from '../process-lock.js';
import { auditFileError, heldError, noFileError, toAuditFileError } from './audit-file-error.js';

export interface TakenFile {
  /** Without links: two names of a file are one log. */
  readonly path: string;
  release(): Promise<void>;
}

/** Creates what is missing of the path (0700) and the file (0600), and locks it. @throws AuditFileError */
export async function takeFile(file: string): Promise<TakenFile> {
  try {
    await ensureDirectory(dirname(file));
    await ensureFile(file);
    const path = await realpath(file);
    const lock = await takeLock(`${path}.lock`);
    if (lock.status === 'held') throw heldError(path, lock.pid);
    return { path, release: lock.release };
  } catch (error) {
    if (!(error instanceof LockError)) throw toAuditFileError(file, error);
    throw auditFileError(file, error, error);
  }
}

async function ensureFile(file: string): Promise<void> {
  const before = await stat(file).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (before?.isDirectory() === false && !before.isFile()) throw noFileError(file); // to open a pipe would wait
  await (await open(file, 'a', 0o600)).close();
  await chmod(file, 0o600);
}
