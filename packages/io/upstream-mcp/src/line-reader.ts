// Splits a byte stream into lines in linear time. Reads a pipe in limited shares: after each share the event loop runs
// other work; after a share without a message the pipe pauses, which blocks its writer.
import { isAscii } from 'node:buffer';
import type { Readable } from 'node:stream';

export interface LineSplitter {
  /** Gives the lines that end in this chunk; returns what `onLine` left over by returning false, empty as a rule. */
  push(chunk: Buffer): Buffer;
  /** Gives what is left as a last line. */
  end(): void;
}

export interface LineSplitterOptions {
  readonly maxBytes: number;
  /** Returning false stops after this line; everything else goes on. */
  readonly onLine: (line: string) => unknown;
  /** Called once per line that is too long; its first `maxBytes` are given to `onLine` and the rest is dropped. */
  readonly onTooLong?: () => void;
  /** A carriage return ends a line by itself, as in an event stream; else it only may precede the line feed. */
  readonly splitsAtCr?: boolean;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const nothing = Buffer.alloc(0);
const newline = Buffer.of(lineFeed);

export function createLineSplitter({
  maxBytes,
  onLine,
  onTooLong,
  splitsAtCr = false,
}: LineSplitterOptions): LineSplitter {
  /** Parts of a line that is not whole in its chunk: joined once, when its end is there. */
  let parts: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  let endedInCr = false;

  const take = (part: Buffer) => {
    const room = maxBytes - bytes;
    if (part.length > room && !isCut) {
      isCut = true;
      onTooLong?.();
    }
    if (room <= 0 || part.length === 0) return;
    parts.push(part.length > room ? part.subarray(0, room) : part);
    bytes += Math.min(part.length, room);
  };

  /** The parts before, and the last one of their line. */
  const joined = (last: Buffer): Buffer => {
    take(last);
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts); // length 1: parts[0] is there
    parts = [];
    bytes = 0;
    isCut = false;
    return whole;
  };

  const push = (chunk: Buffer): Buffer => {
    // The line feed that belongs to a carriage return at the end of the chunk before ends no second line.
    let start = endedInCr && chunk[0] === lineFeed ? 1 : 0;
    if (chunk.length > 0) endedInCr = false;
    let nextLf = chunk.indexOf(lineFeed, start);
    let nextCr = splitsAtCr ? chunk.indexOf(carriageReturn, start) : -1;
    while (nextLf !== -1 || nextCr !== -1) {
      const isCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const at = isCr ? nextCr : nextLf;
      const isWhole = parts.length === 0 && at - start <= maxBytes; // in this chunk, as most are
      const line = isWhole ? chunk : joined(chunk.subarray(start, at));
      const from = isWhole ? start : 0;
      let to = isWhole ? at : line.length;
      start = isCr && nextLf === at + 1 ? at + 2 : at + 1;
      endedInCr = isCr && start === at + 1 && start === chunk.length;
      if (to > from && line[to - 1] === carriageReturn) to -= 1;
      if (onLine(to - from < largeBytes ? line.toString('utf8', from, to) : decodeLarge(line, from, to)) === false)
        return chunk.subarray(start);
      if (nextLf !== -1 && nextLf < start) nextLf = chunk.indexOf(lineFeed, start);
      if (nextCr !== -1 && nextCr < start) nextCr = chunk.indexOf(carriageReturn, start);
    }
    if (start < chunk.length) take(chunk.subarray(start));
    return nothing;
  };

  return {
    push,
    end() {
      if (bytes > 0) push(newline);
    },
  };
}

const largeBytes = 64 * 1024;

/** Text of ASCII alone is decoded in less time as Latin-1, of which it is a part. */
function decodeLarge(buffer: Buffer, start: number, end: number): string {
  return buffer.toString(isAscii(buffer.subarray(start, end)) ? 'latin1' : 'utf8', start, end);
}

export interface LineReaderOptions extends LineSplitterOptions {
  /** Whether the line was of use. */
  readonly onLine: (line: string) => boolean;
  /** Limits of one read, whichever comes first. */
  readonly share: { readonly lines: number; readonly bytes: number };
  /** When to rest: after a share that is mostly useless lines, or after every one. */
  readonly rests: 'after-waste' | 'always';
}

const restMs = 50;
/** A longer line takes milliseconds to join and to decode. Its content is parsed in a later turn. */
const longLine = 1024 * 1024;
/** Tens of milliseconds: everything else has the event loop first, for about as long as that took. */
const veryLongLine = 8 * 1024 * 1024;
/** Characters that are joined and decoded in a millisecond. */
const joinedInMs = 500_000;

export function readLines(stream: Readable, options: LineReaderOptions): void {
  const { share, rests, onLine } = options;
  let unread: Buffer = Buffer.alloc(0);
  let isWaiting = false;
  let lines = 0;
  let bytes = 0;
  let wastedLines = 0;
  let wastedBytes = 0;
  let longOne: string | undefined;

  const give = (line: string) => {
    if (onLine(line)) return;
    wastedLines += 1;
    wastedBytes += line.length;
  };

  const giveLongOne = () => {
    const line = longOne;
    longOne = undefined;
    if (line !== undefined) give(line);
  };

  const splitter = createLineSplitter({
    ...options,
    onLine(line) {
      lines += 1;
      if (line.length > longLine) longOne = line;
      else give(line);
      return longOne === undefined && lines < share.lines;
    },
  });

  const read = () => {
    const { length } = unread;
    unread = splitter.push(unread);
    bytes += length - unread.length;
    if (longOne === undefined && lines < share.lines && bytes < share.bytes) return;
    const isWaste = wastedLines > 0.75 * share.lines || wastedBytes > 0.75 * share.bytes;
    lines = bytes = wastedLines = wastedBytes = 0;
    isWaiting = true;
    stream.pause();
    if (longOne !== undefined && longOne.length > veryLongLine) setTimeout(goOn, longOne.length / joinedInMs);
    else if (longOne !== undefined)
      setImmediate(() => setImmediate(goOn)); // one alone may still run in this turn
    else if (isWaste || rests === 'always') setTimeout(goOn, restMs);
    else setImmediate(goOn);
  };

  const goOn = () => {
    isWaiting = false;
    giveLongOne();
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
      giveLongOne();
      while (unread.length > 0) {
        unread = splitter.push(unread);
        giveLongOne();
      }
      splitter.end();
      giveLongOne();
    })
    .on('error', () => {}); // the end of a pipe is seen in other ways
}
