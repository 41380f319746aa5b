// What a server says of its failures, as far as it is kept.
import { maxErrorData } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { rejected } from './failures.js';

describe('the error that a server answers with', () => {
  it('keeps its data as it is where that is short, which a caller is shown', () => {
    const error = { code: -32000, message: 'no', data: { hint: 'x'.repeat(1000) } };
    expect(rejected(error).detail).toEqual({ kind: 'rejected', error });
  });

  it.each([
    ['a long text', 'x'.repeat(maxErrorData)],
    ['many values', Array.from({ length: maxErrorData }, () => 0)],
  ])('has no data where nobody would be shown it, so that nothing looks through that: %s', (_, data) => {
    const { detail } = rejected({ code: -32000, message: 'no', data });
    expect(detail).toEqual({ kind: 'rejected', error: { code: -32000, message: 'no' } });
  });
});
