// Splits a byte stream into lines in linear time: the parts of a long line are joined once, when its end is there.

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

export function createLineSplitter({
  maxBytes,
  onLine,
  onTooLong,
  splitsAtCr = false,
}: LineSplitterOptions): LineSplitter {
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

  const finish = (): unknown => {
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts); // length 1: parts[0] is there
    parts = [];
    bytes = 0;
    isCut = false;
    return give(whole, 0, whole.length);
  };
  const give = (buffer: Buffer, start: number, end: number): unknown =>
    onLine(buffer.toString('utf8', start, end > start && buffer[end - 1] === carriageReturn ? end - 1 : end));
  /** A line that is whole in its chunk, as most are, needs no part. */
  const finishWith = (chunk: Buffer, start: number, end: number): unknown => {
    if (parts.length === 0 && end - start <= maxBytes) return give(chunk, start, end);
    take(chunk.subarray(start, end));
    return finish();
  };

  return {
    push(chunk) {
      // The line feed that belongs to a carriage return at the end of the chunk before ends no second line.
      let start = endedInCr && chunk[0] === lineFeed ? 1 : 0;
      if (chunk.length > 0) endedInCr = false;
      let nextLf = chunk.indexOf(lineFeed, start);
      let nextCr = splitsAtCr ? chunk.indexOf(carriageReturn, start) : -1;
      while (nextLf !== -1 || nextCr !== -1) {
        const isCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
        const end = isCr ? nextCr : nextLf;
        const lineStart = start;
        start = isCr && nextLf === end + 1 ? end + 2 : end + 1;
        endedInCr = isCr && start === end + 1 && start === chunk.length;
        if (finishWith(chunk, lineStart, end) === false) return chunk.subarray(start);
        if (nextLf !== -1 && nextLf < start) nextLf = chunk.indexOf(lineFeed, start);
        if (nextCr !== -1 && nextCr < start) nextCr = chunk.indexOf(carriageReturn, start);
      }
      if (start < chunk.length) take(chunk.subarray(start));
      return nothing;
    },
    end() {
      if (bytes > 0) finish();
    },
  };
}
