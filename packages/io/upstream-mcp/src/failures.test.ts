// Tests how much of a server's error is kept.
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
  ])('has no data where no caller would see it, so that it is not searched for secrets: %s', (_, data) => {
    const { detail } = rejected({ code: -32000, message: 'no', data });
    expect(detail).toEqual({ kind: 'rejected', error: { code: -32000, message: 'no' } });
  });
});
