// The maximal cost of a schema, known without running it.
import type { JsonObject } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { schemaCost } from './schema-cost.js';

/** References that double at every level, written by `refer`. */
function doubling(
  levels: number,
  refer: (level: number) => JsonObject,
  define: (level: number) => JsonObject = () => ({}),
) {
  const $defs: Record<string, JsonObject> = { d0: { type: 'object', ...define(0) } };
  for (let i = 1; i <= levels; i++) $defs[`d${i}`] = { ...define(i), allOf: [refer(i - 1), refer(i - 1)] };
  return { ...refer(levels), $defs };
}

describe('schemaCost', () => {
  it('counts subschemas, and definitions only where they are referred to', () => {
    const $defs = { used: { type: 'string' }, unused: { anyOf: [{}, {}, {}] } };
    expect(schemaCost({ type: 'object' }, 100)).toBe(1);
    expect(schemaCost({ properties: { a: { $ref: '#/$defs/used' }, b: { $ref: '#/$defs/used' } }, $defs }, 100)).toBe(
      6,
    );
  });

  it('takes recursion for what it is', () => {
    expect(schemaCost({ properties: { child: { $ref: '#' } } }, 100)).toBe(4);
  });

  it.each<[string, JsonObject]>([
    ['pointers', doubling(40, (level) => ({ $ref: `#/$defs/d${level}` }))],
    ['pointers with percent escapes', doubling(40, (level) => ({ $ref: `#/$defs/%64${level}` }))],
    [
      'anchors',
      doubling(
        40,
        (level) => ({ $ref: `#d${level}` }),
        (level) => ({ $anchor: `d${level}` }),
      ),
    ],
    [
      'embedded ids',
      doubling(
        40,
        (level) => ({ $ref: `d${level}` }),
        (level) => ({ $id: `d${level}` }),
      ),
    ],
    [
      'dynamic references',
      doubling(
        40,
        (level) => ({ $dynamicRef: `#d${level}` }),
        (level) => ({ $dynamicAnchor: `d${level}` }),
      ),
    ],
    ['escapes that are none', { $ref: '#/%zz' }],
    ['other documents', { $ref: 'https://example.com/schema' }],
  ])('is without bound for what doubles or leads away by %s', (_how, schema) => {
    expect(schemaCost(schema, 1000)).toBe(Number.POSITIVE_INFINITY);
  });
});
