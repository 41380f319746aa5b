// Splits a byte stream into lines in linear time: the parts of a long line are joined once, when its end is there.

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Gives what is left as a last line. */
  end(): void;
}

export interface LineSplitterOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** Called once per line that is too long; its first `maxBytes` are given to `onLine` and the rest is dropped. */
  readonly onTooLong?: () => void;
}

const newline = 0x0a;

export function createLineSplitter({ maxBytes, onLine, onTooLong }: LineSplitterOptions): LineSplitter {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isCut = false;

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

  const finish = () => {
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts); // length 1: parts[0] is there
    parts = [];
    bytes = 0;
    isCut = false;
    const end = whole[whole.length - 1] === 0x0d ? whole.length - 1 : whole.length;
    onLine(whole.toString('utf8', 0, end));
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        take(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
    end() {
      if (bytes > 0) finish();
    },
  };
}
