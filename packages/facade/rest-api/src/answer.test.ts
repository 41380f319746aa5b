// Answers of any size are the same bytes; large ones do not delay other work.
import { describe, expect, it } from 'vitest';
import { answerValue, toResponse } from './answer.js';

describe('answerValue', () => {
  it.each([
    ['a short answer', 'grüße'],
    ['a large answer', 'grüße '.repeat(100_000)],
  ])('answers with %s as JSON', async (_, text) => {
    const answer = toResponse(await answerValue({ text }, 201, { 'X-Other': 'yes' }));
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-other')]).toEqual([
      201,
      'application/json',
      'yes',
    ]);
    expect(await answer.json()).toEqual({ text });
  });

  it('lets other work have its turn in the middle of a large one', async () => {
    const order: string[] = [];
    const other = new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push('other work'));
    const large = Promise.resolve(answerValue({ text: 'x'.repeat(1_000_000) }, 200)).then(() => order.push('large'));
    await Promise.all([large, other]);
    await Promise.resolve(answerValue({}, 200)).then(() => order.push('small'));
    expect(order).toEqual(['other work', 'large', 'small']);
  });
});
