import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, readLines } from './line-reader.js';

function split(chunks: readonly string[], maxBytes = 100) {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = createLineSplitter({
    maxBytes,
    onLine: (line) => lines.push(line),
    onTooLong: () => {
      tooLong += 1;
    },
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk, 'latin1'));
  splitter.end();
  return { lines, tooLong };
}

describe('the line splitter', () => {
  it('finds lines however they are cut into chunks', () => {
    expect(split(['a\nb', 'c\r', '\n', '\n', 'd\ne']).lines).toEqual(['a', 'bc', '', 'd', 'e']);
  });

  it('decodes a character that two chunks share', () => {
    expect(split(['gr\xc3', '\xbc\xc3\x9fe\n']).lines).toEqual(['grüße']);
  });

  it('cuts a line that is too long, says so once, and goes on with the next', () => {
    expect(split(['12345', '67890', '12\nab\n'], 8)).toEqual({ lines: ['12345678', 'ab'], tooLong: 1 });
  });

  it('stops when a line is enough, and gives back the rest', () => {
    const lines: string[] = [];
    const splitter = createLineSplitter({ maxBytes: 100, onLine: (line) => lines.push(line) < 2 });
    const rest = splitter.push(Buffer.from('a\nb\nc\nd'));
    expect([...lines, rest.toString()]).toEqual(['a', 'b', 'c\nd']);
  });

  it('joins a long line in linear time', () => {
    const chunk = Buffer.alloc(1_000, 'x');
    let bytes = 0;
    const splitter = createLineSplitter({
      maxBytes: Number.POSITIVE_INFINITY,
      onLine: (line) => {
        bytes += line.length;
      },
    });
    for (let count = 0; count < 50_000; count += 1) splitter.push(chunk); // 50 MB: quadratic joining takes minutes
    splitter.push(Buffer.from('\n'));
    expect(bytes).toBe(50_000_000);
  });
});

describe('the line reader', () => {
  const long = 'x'.repeat(9 * 1024 * 1024);
  const share = { lines: 4, bytes: 64 * 1024 };

  function reading(text: string) {
    const stream = new PassThrough({ highWaterMark: 64 * 1024 });
    const lengths: number[] = [];
    const turns: string[] = [];
    readLines(stream, {
      maxBytes: Number.POSITIVE_INFINITY,
      share,
      rests: 'after-waste',
      onLine(line) {
        lengths.push(line.length);
        turns.push(`line of ${line.length}`);
        return true;
      },
    });
    // Behind the reader, so a chunk is first split, and then counted here.
    stream.on('data', (chunk: Buffer) => chunk.includes(10) && turns.push('chunk with an end'));
    stream.end(text);
    const ended = new Promise<void>((resolve) => stream.once('close', resolve));
    return { lengths, turns, ended };
  }

  it.each([
    ['a long line', long],
    ['a line of 2 MiB', 'x'.repeat(2 * 1024 * 1024)],
  ])('gives %s in a turn of its own, and all lines in their order', async (_, long) => {
    const { lengths, turns, ended } = reading(`a\n${long}\nbc\n${long}y\ndef\ng`);
    await ended;
    expect(lengths).toEqual([1, long.length, 2, long.length + 1, 3, 1]);
    expect(turns.slice(0, 3)).toEqual(['line of 1', 'chunk with an end', `line of ${long.length}`]);
  });

  it('gives a long line that the stream ends with', async () => {
    const { lengths, ended } = reading(`a\n${long}`);
    await ended;
    expect(lengths).toEqual([1, long.length]);
  });
});
