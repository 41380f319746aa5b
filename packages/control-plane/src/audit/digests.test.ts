// Digests in records show a reader of the log that values are equal, and not the values.
import { sha256Hex } from '@portico/canonical-json';
import { expect, it } from 'vitest';
import { digestsOf, maxDigested } from './digests.js';

it('are the same for the same content and key only, and no plain hashes', () => {
  const args = { pin: '4711' };
  const text = JSON.stringify(args);
  const digests = digestsOf('key', args, text);
  expect(digestsOf('key', { ...args }, text)).toEqual(digests);
  const other = digestsOf('another key', args, text);
  for (const kind of ['args', 'result'] as const) {
    expect(digests[kind]).toMatch(/^[0-9a-f]{32}$/);
    expect(other[kind]).not.toBe(digests[kind]);
    expect(sha256Hex(text)).not.toContain(digests[kind]);
  }
});

it('are left out where there is nothing, or too much', () => {
  expect(digestsOf('key', {}, undefined).result).toBeUndefined();
  expect(digestsOf('key', {}, 'x'.repeat(maxDigested + 1)).result).toBeUndefined();
});
