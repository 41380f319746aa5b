// Lines of a byte stream as text, in linear time and bounded memory: a line longer than the limit is reported and left out.
import type { Readable } from 'node:stream';

export interface LineReader {
  /** Stops reading; no line comes after it. */
  stop(): void;
}

export interface LineEvents {
  readonly onLine: (line: string) => void;
  /** A line is longer than the limit; what comes after it is read on. */
  readonly onTooLong: () => void;
  /** The stream has ended or broken. At most once. */
  readonly onEnd: (reason: string) => void;
}

export const maxLineBytes = 16 * 1024 * 1024;

/** The error that the sender of a longer one gets. */
export const tooLongMessage = `Invalid Request: a message longer than ${maxLineBytes} bytes (a fixed limit) was left out`;

/** Most lines are one part of what has come. */
function textOf(parts: readonly Buffer[]): string {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first.toString('utf8') : Buffer.concat(parts).toString('utf8');
}

/**
 * Reads UTF-8 lines from a stream and hands them on; a line that is too long is reported and skipped.
 * @param maxBytes of a line
 */
export function readLines(
  input: Readable,
  { onLine, onTooLong, onEnd }: LineEvents,
  maxBytes = maxLineBytes,
): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;

  const add = (part: Buffer) => {
    const wasTooLong = size > maxBytes;
    size += part.byteLength;
    if (size <= maxBytes) return void parts.push(part);
    parts = [];
    if (!wasTooLong) onTooLong();
  };
  const endLine = () => {
    const line = size > maxBytes ? '' : textOf(parts);
    parts = [];
    size = 0;
    if (line.trim() !== '') onLine(line);
  };
  const onData = (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1 && !isOver; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end));
      endLine();
      start = end + 1;
    }
    if (!isOver && start < chunk.byteLength) add(chunk.subarray(start));
  };
  const stop = () => {
    isOver = true;
    input.off('data', onData);
    input.off('end', onEnded);
    input.off('close', onEnded);
    input.off('error', onError);
    input.on('error', () => {}); // the rest of the stream is not read any more
    input.pause();
  };
  const finish = (reason: string) => {
    if (isOver) return;
    stop();
    onEnd(reason);
  };
  const onEnded = () => {
    if (!isOver) endLine(); // the last one may come without its end
    finish('the stream has ended');
  };
  const onError = (error: Error) => finish(error.message);
  input.on('data', onData).on('end', onEnded).on('close', onEnded).on('error', onError);
  input.resume(); // it may have been blocked until now
  return { stop };
}
