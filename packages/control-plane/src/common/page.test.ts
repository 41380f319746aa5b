// Pages: as long as asked for, or as large as may be sent.
import { describe, expect, it } from 'vitest';
import { readPage } from './page.js';

const numbers = Array.from({ length: 100 }, (_, n) => n);
const from =
  <T>(all: readonly T[]) =>
  async ({ limit, offset }: { limit: number; offset: number }) =>
    all.slice(offset, offset + limit);

describe('readPage', () => {
  it.each([
    [{ limit: 5, offset: 0 }, numbers.slice(0, 5)],
    [{ limit: 50, offset: 20 }, numbers.slice(20, 70)],
    [{ limit: 50, offset: 90 }, numbers.slice(90)],
    [{ limit: 8, offset: 100 }, []],
  ])('gives %j', async (page, expected) => {
    expect(await readPage(page, from(numbers))).toEqual(expected);
  });

  it('ends early where entries are large, and never without one', async () => {
    const large = 'x'.repeat(3 * 1024 * 1024);
    expect(await readPage({ limit: 50, offset: 0 }, from(Array(100).fill(large)))).toHaveLength(3);
    expect(await readPage({ limit: 50, offset: 0 }, from([large.repeat(4), large]))).toHaveLength(1);
  });
});
