// Lines of a byte stream as text, in linear time. A line that does not end within the limit ends the reading.
import type { Readable } from 'node:stream';

export interface LineReader {
  /** Stops reading; no line comes after it. */
  stop(): void;
}

export interface LineEvents {
  readonly onLine: (line: string) => void;
  /** The stream has ended or broken, or a line is longer than the limit. At most once. */
  readonly onEnd: (reason: string) => void;
}

export const maxLineBytes = 16 * 1024 * 1024;

export function readLines(input: Readable, { onLine, onEnd }: LineEvents): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;

  const onData = (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1 && !isOver; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
      parts = [];
      size = 0;
      start = end + 1;
      if (line.trim() !== '') onLine(line);
    }
    if (isOver) return;
    const rest = chunk.subarray(start);
    if (rest.byteLength > 0) parts.push(rest);
    size += rest.byteLength;
    if (size > maxLineBytes) finish(`a message is longer than ${maxLineBytes} bytes`);
  };
  const stop = () => {
    isOver = true;
    input.off('data', onData);
    input.off('end', onEnded);
    input.off('close', onEnded);
    input.off('error', onError);
    input.on('error', () => {}); // whatever still comes of it, nobody reads it any more
    input.pause();
  };
  const finish = (reason: string) => {
    if (isOver) return;
    stop();
    onEnd(reason);
  };
  const onEnded = () => finish('the stream has ended');
  const onError = (error: Error) => finish(error.message);
  input.on('data', onData).on('end', onEnded).on('close', onEnded).on('error', onError);
  input.resume(); // it may have been held up until now
  return { stop };
}
