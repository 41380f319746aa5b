// Requests of a guide, `curl` by `curl`, and whether they are answered as it says.
import { expect } from 'vitest';
import type { Reply } from './client.js';
import type { Block } from './markdown.js';
import { parseCurl } from './shell-words.js';

/** The `curl` blocks, each with the block that says what comes back, where the next one does. */
export function requestsOf(blocks: readonly Block[]) {
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh' || !block.text.startsWith('curl ')) return [];
    const next = blocks[index + 1];
    const expected = next?.language === 'json' || next?.language === 'http' ? next : undefined;
    return [{ ...parseCurl(block.text.trimEnd()), line: block.line, expected }];
  });
}

/** No expected block means 200; "…" in an expected text matches anything. */
export function expectAnswer({ status, body }: Reply, expected: Block | undefined): void {
  if (expected?.language === 'http') {
    expect(`HTTP/1.1 ${status}`).toBe(expected.text.split(' ').slice(0, 2).join(' '));
    return;
  }
  if (expected === undefined) {
    expect(status).toBe(200);
    return;
  }
  const wanted = JSON.parse(expected.text);
  expect(body).toEqual(withWildcards(wanted));
  expect(status === 200).toBe(wanted.ok !== false);
}

function withWildcards(value: unknown): unknown {
  if (typeof value === 'string' && value.endsWith('…')) {
    const start = value.slice(0, -1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return start === '' ? expect.anything() : expect.stringMatching(new RegExp(`^${start}`));
  }
  if (Array.isArray(value)) return value.map(withWildcards);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWildcards(inner)]));
}
