// Reads a log line by line in memory that does not grow with it: split at line feeds only, decoded strictly.
// It never says what a line means, and never reads past the end it was given.
import type { LogBytes } from './log-bytes.js';

export interface Line {
  /** Without its line feed; null if it cannot be a record. */
  readonly text: string | null;
  /** Why the text is null. */
  readonly problem?: string;
  /** The byte after its line feed. */
  readonly end: number;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

const lineFeed = 0x0a;
const chunkBytes = 256 * 1024;
/** No record comes near it: what is sent to the service is far smaller. */
export const maxLineBytes = 64 * 1024 * 1024;

const notUtf8 = 'the line is no UTF-8';
const tooLong = `the line is longer than ${maxLineBytes} bytes`;
const noLineFeed = 'it has no line feed: a write was cut off there, or is under way';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes that are UTF-8. A byte order mark is no part of any line, so it is not taken away either. */
export function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The lines of a range, in portions. Bytes after the last line feed are a line with a problem. */
export async function* readLines(file: LogBytes, { start, end }: Range): AsyncGenerator<readonly Line[]> {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  let isSkipping = false;
  let at = start; // in the file, of the first byte in the buffer

  while (at + filled < end) {
    const length = Math.min(buffer.length - filled, end - at - filled);
    const { bytesRead } = await file.read(buffer, filled, length, at + filled);
    if (bytesRead === 0) break; // the file has become shorter; the reader notices the missing rest
    filled += bytesRead;
    const whole = buffer.lastIndexOf(lineFeed, filled - 1) + 1;
    if (whole > 0) {
      const lines = splitLines(buffer.subarray(0, whole), at);
      yield isSkipping
        ? [{ ...lines[0], text: null, problem: tooLong, end: lines[0]?.end ?? at }, ...lines.slice(1)]
        : lines;
      isSkipping = false;
      buffer.copyWithin(0, whole, filled);
      at += whole;
      filled -= whole;
    } else if (filled === maxLineBytes) {
      isSkipping = true;
      at += filled;
      filled = 0;
    } else if (filled === buffer.length) {
      buffer = Buffer.concat([buffer], Math.min(buffer.length * 2, maxLineBytes));
    }
  }
  if (filled > 0 || isSkipping) yield [{ text: null, problem: noLineFeed, end: at + filled }];
}

/** @param at where the bytes begin in the file; they end with a line feed */
function splitLines(bytes: Buffer, at: number): readonly Line[] {
  const text = decodeStrictly(bytes);
  if (text === null) return splitBytes(bytes, at);
  const isAscii = text.length === bytes.length;
  let end = at;
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      end += (isAscii ? line.length : Buffer.byteLength(line)) + 1;
      return { text: line, end };
    });
}

/** For bytes with a line among them that is no UTF-8. */
function splitBytes(bytes: Buffer, at: number): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start);
    const text = decodeStrictly(bytes.subarray(start, end));
    lines.push(text === null ? { text, problem: notUtf8, end: at + end + 1 } : { text, end: at + end + 1 });
    start = end + 1;
  }
  return lines;
}
