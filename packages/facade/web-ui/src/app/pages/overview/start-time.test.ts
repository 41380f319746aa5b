import { expect, it } from 'vitest';
import { nextStart, type Start } from './start-time.js';

const at = (uptimeSecs: number, nowMs: number, known: Start = { uptimeSecs: 0, atMs: Number.POSITIVE_INFINITY }) =>
  nextStart(known, uptimeSecs, nowMs);

it('is before the first second of the daemon', () => {
  expect(at(10, 100_000).atMs).toBe(89_000);
});

it('stays the same for late answers, and while no answer arrives', () => {
  const first = at(10, 100_000);
  expect(at(13, 106_000, first).atMs).toBe(first.atMs);
  expect(at(10, 160_000, first).atMs).toBe(first.atMs);
});

it('is corrected by an answer that arrives sooner, and begins again with another daemon', () => {
  const late = at(10, 104_000);
  expect(at(13, 103_000, late).atMs).toBe(89_000);
  expect(at(2, 200_000, late).atMs).toBe(197_000);
});
