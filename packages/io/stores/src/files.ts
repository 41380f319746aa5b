// Small questions and steps on a file system that several files of this package share. Says nothing about their errors.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** `mkdir -p`, 0700. Node's own recursion never ends where a file system refuses with ENOENT, as /proc does. */
export async function ensureDirectory(path: string): Promise<void> {
  try {
    await makeUnlessThere(path);
  } catch (error) {
    const parent = dirname(path);
    if (!hasCode(error, 'ENOENT') || parent === path) throw error;
    await ensureDirectory(parent);
    await makeUnlessThere(path);
  }
}

/** Another process may make the same directory between any two steps of ours. */
async function makeUnlessThere(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !(await stat(path)).isDirectory()) throw error;
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return codeOf(error) === code;
}

/** The system's name for an error, `ENOSPC` for one; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
