// The bytes of a log by their position in the whole of it, across its files: sealed segments, and the growing file.
import { type FileHandle, open } from 'node:fs/promises';
import { hasCode } from '../files.js';
import type { Segment } from './segments.js';

/** A source of the bytes of a log. An open file is one too: then the log is that file. */
export interface LogBytes {
  /** As `read` of a file: gives fewer bytes than asked for at the end of a segment, and 0 where nothing is there. */
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  /** Where the segment of the byte before a place begins: no line begins before it. 0 by default. */
  startOf?(place: number): number;
  /** The first place from one on that is in a segment, where a segment is missing; undefined for none. */
  next?(place: number): number | undefined;
  /** Offset of the oldest byte that is kept. 0 by default. */
  first?(): number;
  /** Whether a segment begins there. */
  isBoundary?(place: number): boolean;
}

export interface SegmentedBytes extends Required<LogBytes> {
  sealed(): readonly Segment[];
  /** Offset of the first byte of the file that grows. */
  activeStart(): number;
  /** The file that has grown so far is sealed and called otherwise; another one, which is open for reading, follows it. */
  rotated(segment: Segment, next: FileHandle): Promise<void>;
  /** The oldest segments are given up: what is before the place is not read any more. */
  forget(before: number): Promise<void>;
  close(): Promise<void>;
}

/** Sealed segments that are open at a time. */
const maxOpen = 4;

/** @param segments sealed ones, ascending @param active the file that grows, open for reading; it is closed with the rest */
export function createSegmentedBytes(
  segments: readonly Segment[],
  activeStart: number,
  active: FileHandle,
): SegmentedBytes {
  let sealed = segments;
  let start = activeStart;
  let growing = active;
  const handles = new Map<string, Promise<FileHandle>>(); // the one that was used last comes last

  const closeHandle = async (path: string) => {
    const handle = handles.get(path);
    handles.delete(path);
    await (await handle?.catch(() => undefined))?.close();
  };

  /** As the one that was used last; the one that was not used for longest is closed where there are too many. */
  const hold = (path: string, handle: Promise<FileHandle>) => {
    handles.delete(path);
    handles.set(path, handle);
    const [oldest] = handles.keys();
    if (handles.size <= maxOpen || oldest === undefined) return;
    closeHandle(oldest).catch(() => {}); // waits for what reads from it; nothing was written through it
  };

  const handleOf = (path: string): Promise<FileHandle> => {
    const handle = handles.get(path) ?? open(path, 'r');
    hold(path, handle);
    handle.catch(() => handles.delete(path));
    return handle;
  };

  const segmentAt = (place: number) => sealed.find((segment) => place >= segment.start && place < endOf(segment));

  return {
    sealed: () => sealed,
    activeStart: () => start,
    first: () => sealed[0]?.start ?? start,
    startOf: (place) => (place > start ? start : (segmentAt(place - 1)?.start ?? place - 1)),
    next: (place) => (place >= start ? place : (sealed.find((segment) => endOf(segment) > place)?.start ?? start)),
    isBoundary: (place) => place === start || sealed.some((segment) => segment.start === place),
    async read(buffer, offset, length, position) {
      if (position >= start) return growing.read(buffer, offset, length, position - start);
      const segment = segmentAt(position);
      if (segment === undefined) return { bytesRead: 0 };
      const bytes = Math.min(length, endOf(segment) - position);
      try {
        return await (await handleOf(segment.path)).read(buffer, offset, bytes, position - segment.start);
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return { bytesRead: 0 }; // verification says so
        throw error;
      }
    },
    async rotated(segment, next) {
      hold(segment.path, Promise.resolve(growing));
      [sealed, start, growing] = [[...sealed, segment], endOf(segment), next];
    },
    async forget(before) {
      const gone = sealed.filter((segment) => endOf(segment) <= before);
      sealed = sealed.filter((segment) => endOf(segment) > before);
      for (const { path } of gone) await closeHandle(path);
    },
    async close() {
      for (const path of [...handles.keys()]) await closeHandle(path);
      await growing.close();
    },
  };
}

function endOf({ start, size }: Segment): number {
  return start + size;
}
