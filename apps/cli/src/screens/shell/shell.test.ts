// Keys as terminals send them, and lines that fit.
import { describe, expect, it } from 'vitest';
import { toKeys, typeKey } from './keys.js';
import { around, fit, line, page } from './lines.js';

const flags = {
  upArrow: false,
  downArrow: false,
  pageUp: false,
  pageDown: false,
  return: false,
  escape: false,
  ctrl: false,
  backspace: false,
  delete: false,
  meta: false,
};

describe('keys', () => {
  it.each([
    ['an arrow', '', { upArrow: true }, ['up']],
    ['enter', '\r', { return: true }, ['enter']],
    ['what is typed fast', 'no\r', {}, ['n', 'o', 'enter']],
    ['an interrupt', 'c', { ctrl: true }, ['interrupt']],
    ['an interrupt right behind a key', 'x\u0003', {}, ['x', 'interrupt']],
    ['other control keys', 'z', { ctrl: true }, []],
    ['a deletion behind a letter', 'a\u007f', {}, ['a', 'backspace']],
    ['control characters in what is pasted', 'a\u0000b', {}, ['a', 'b']],
    ['a letter of two halves', '👍', {}, ['👍']],
  ])('know %s', (_what, input, set, keys) => {
    expect(toKeys(input, { ...flags, ...set })).toEqual(keys);
  });

  it('make a text', () => {
    expect(typeKey('a👍', 'backspace')).toBe('a');
    expect(typeKey('a', 'b')).toBe('ab');
    expect(typeKey('a', 'up')).toBeUndefined();
  });
});

describe('lines', () => {
  it('fill the given number of columns, wide letters counted as two', () => {
    expect(fit('abc', 5)).toBe('abc  ');
    expect(fit('abcdef', 4)).toBe('abc…');
    expect(fit('日本語', 4)).toBe('日… ');
    expect(fit('\u001b[31m', 8)).toBe('␛[31m   ');
  });

  it('show the rows around the one that counts', () => {
    expect(around([0, 1, 2, 3, 4], 4, 3)).toEqual([2, 3, 4]);
    expect(around([0, 1, 2, 3, 4], 2, 3)).toEqual([1, 2, 3]);
    expect(around([0, 1], 1, 3)).toEqual([0, 1]);
  });

  it('keep the foot at the bottom', () => {
    const [head, middle, foot] = [line('head'), line('middle'), line('foot')];
    expect(page([head], [middle, middle], [foot], 3)).toEqual([head, middle, foot]);
    expect(page([head], [], [foot], 4).at(-1)).toEqual(foot);
  });
});
