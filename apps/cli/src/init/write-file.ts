// Writes a new configuration whole or not at all. An existing file is replaced only if the user asked for that.
import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import type { PlannedFile } from './plan.js';

/** A file is there already. */
export class FileTaken extends Error {
  constructor(path: string) {
    super(sayTaken(path));
  }
}

export function sayTaken(path: string): string {
  return `${path} is there already and left as it is; name another with --output, or replace it with --force`;
}

/** Readable by its owner alone where it holds secrets. @throws FileTaken, and what the system says */
export async function writeConfigFile(
  path: string,
  { text, holdsSecrets }: PlannedFile,
  force: boolean,
): Promise<void> {
  const temporary = `${path}.portico-${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', holdsSecrets ? 0o600 : 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (force) await rename(temporary, path);
    else await link(temporary, path); // fails if the file exists, even if it was created in between
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new FileTaken(path);
    }
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
