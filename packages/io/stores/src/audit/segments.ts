// The sealed segments of a log, in files beside it. The name of each is the position of its first byte in the whole
// log, so their order and a missing one between two others follow from names and sizes alone.
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../files.js';

export interface Segment {
  readonly path: string;
  /** Offset of its first byte in the whole log. */
  readonly start: number;
  /** Bytes. */
  readonly size: number;
  /** Identifies a file regardless of its name. */
  readonly identity: string;
}

const digits = 15;
const name = /^(.+)\.(\d{15})$/;

/** The name of the segment that begins there: `audit.jsonl.000000268435456`. */
export function segmentPath(log: string, start: number): string {
  return `${log}.${String(start).padStart(digits, '0')}`;
}

/** The log that a path would be a segment of; undefined if it has no such name. */
export function logOfSegment(path: string): string | undefined {
  return name.exec(path)?.[1];
}

/** Ascending. Only regular files count. */
export async function listSegments(log: string): Promise<readonly Segment[]> {
  const own = basename(log);
  const names = (await readdir(dirname(log))).filter((found) => name.exec(found)?.[1] === own);
  const segments: Segment[] = [];
  for (const found of names.toSorted()) {
    const path = join(dirname(log), found);
    const state = await stat(path).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
    if (state?.isFile() !== true) continue;
    const start = Number(name.exec(found)?.[2]);
    segments.push({ path, start, size: state.size, identity: `${state.dev}:${state.ino}` });
  }
  return segments;
}

/** Offset of the byte that follows them. */
export function endOfSegments(segments: readonly Segment[]): number {
  const last = segments.at(-1);
  return last === undefined ? 0 : last.start + last.size;
}

/** Makes names that were given or taken in a directory survive a power loss, where the system can. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined); // Windows opens no directory
  await handle?.sync().catch(() => {});
  await handle?.close();
}
