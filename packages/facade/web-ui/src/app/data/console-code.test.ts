import { expect, test } from 'vitest';
import { codeOf } from './console-code.js';

test('only the link of `portico ui` has a code', () => {
  expect(codeOf('#code=abc-DEF_123')).toBe('abc-DEF_123');
  expect(['', '#code=', '#code=a b', '#code=<script>', '#xcode=abc', '#code=abc&x=1'].map(codeOf)).toEqual(
    new Array(6).fill(undefined),
  );
});
