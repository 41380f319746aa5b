import type { JsonValue } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headOfJson } from './json-head.js';

/** Whether every text, number and name of a head is in the whole at the same place. */
function isHeadOf(head: JsonValue, whole: JsonValue | undefined): boolean {
  if (head === '[cut]') return true;
  if (typeof head !== 'object' || head === null) return Object.is(head, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(head) !== Array.isArray(whole)) return false;
  return Object.entries(head).every(
    ([name, value]) =>
      Object.hasOwn(whole, name) && isHeadOf(value as JsonValue, (whole as Readonly<Record<string, JsonValue>>)[name]),
  );
}

describe('the head of a JSON text', () => {
  it('is JSON, and holds nothing that is not whole', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 1, max: 200 }), (text, limit) => {
        const head = headOfJson(text, limit);
        if (head === undefined) return;
        expect(isHeadOf(JSON.parse(head), JSON.parse(text))).toBe(true);
        expect(head.length).toBeLessThanOrEqual(Math.max(limit, text.length) + 10);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"a":1,"b":"long text"}', 14, '{"a":1,"b":"[cut]"}'],
    ['{"a":1,"b":12345}', 14, '{"a":1}'],
    ['{"a":1,"long name":2}', 14, '{"a":1}'],
    ['{"a":["x","long text","y"]}', 14, '{"a":["x","[cut]"]}'],
    ['["a\\\\","b\\""]', 10, '["a\\\\","[cut]"]'],
    ['{"a":{"b":{"c":true}}}', 15, '{"a":{"b":{}}}'],
    ['{"a":1}', 7, '{"a":1}'],
    ['123456', 3, undefined],
  ])('of %s in %i characters is %s', (text, limit, head) => {
    expect(headOfJson(text, limit)).toBe(head);
  });
});
