// Reads lines from a pipe that may bring more than anybody can take. After each share everything else in this process
// gets its turn; after one that was of no use the pipe rests, which holds up whoever writes into it.
import type { Readable } from 'node:stream';
import { createLineSplitter, type LineSplitterOptions } from './line-splitter.js';

export interface LineReaderOptions extends LineSplitterOptions {
  /** Whether the line was of use. */
  readonly onLine: (line: string) => boolean;
  /** What is read in one go, whichever comes first. */
  readonly share: { readonly lines: number; readonly bytes: number };
  /** When to rest: after a share that is mostly useless lines, or after every one. */
  readonly rests: 'after-waste' | 'always';
}

const restMs = 50;

export function readLines(stream: Readable, options: LineReaderOptions): void {
  const { share, rests, onLine } = options;
  let unread: Buffer = Buffer.alloc(0);
  let isWaiting = false;
  let lines = 0;
  let bytes = 0;
  let wastedLines = 0;
  let wastedBytes = 0;

  const splitter = createLineSplitter({
    ...options,
    onLine(line) {
      lines += 1;
      if (!onLine(line)) {
        wastedLines += 1;
        wastedBytes += line.length;
      }
      return lines < share.lines;
    },
  });

  const read = () => {
    const { length } = unread;
    unread = splitter.push(unread);
    bytes += length - unread.length;
    if (lines < share.lines && bytes < share.bytes) return;
    const isWaste = wastedLines > 0.75 * share.lines || wastedBytes > 0.75 * share.bytes;
    lines = bytes = wastedLines = wastedBytes = 0;
    isWaiting = true;
    stream.pause();
    if (isWaste || rests === 'always') setTimeout(goOn, restMs);
    else setImmediate(goOn);
  };

  const goOn = () => {
    isWaiting = false;
    if (stream.destroyed) return;
    if (unread.length > 0) read();
    if (!isWaiting) stream.resume();
  };

  stream
    .on('data', (chunk: Buffer) => {
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
      if (isWaiting)
        stream.pause(); // Node resumes the pipes of a child that has exited
      else read();
    })
    .on('end', () => {
      while (unread.length > 0) unread = splitter.push(unread);
      splitter.end();
    })
    .on('error', () => {}); // the end of a pipe is seen in other ways
}
