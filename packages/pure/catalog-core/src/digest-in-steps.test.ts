// The digest of a definition in steps is the digest of the whole, and no step of it is long.
import { finish } from '@portico/async';
import { digestOf } from '@portico/canonical-json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestInSteps } from './digest-in-steps.js';

const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string', at }]));
const nested = (levels: number): unknown => (levels === 0 ? 'x'.repeat(60_000) : [nested(levels - 1)]);

function stepsOf(value: unknown): number {
  const steps = digestInSteps(value);
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}

describe('a digest in steps', () => {
  it.each<[string, unknown]>([
    ['many properties', { name: 't', inputSchema: { properties } }],
    ['a long list', { list: Array.from({ length: 30_000 }, (_, at) => ({ b: at, a: null, none: undefined })) }],
    ['a long text', { text: 'é"\u2028'.repeat(40_000), other: -0 }],
    ['much in deep lists', nested(900)],
    ['names that sort by code units', { ...properties, '\u{1f600}': 1, '\ufb33': 2, __proto__: null, 10: 1, 9: 2 }],
  ])('is that of the whole: %s', (_what, value) => {
    expect(finish(digestInSteps(value))).toBe(digestOf(value));
  });

  it('is that of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(finish(digestInSteps([value, properties]))).toBe(digestOf([value, properties]));
      }),
      { numRuns: 10 },
    );
  });

  it('has a step for some thousand members, and one for all of a small definition', () => {
    expect(stepsOf({ inputSchema: { properties } })).toBeGreaterThan(5);
    expect(stepsOf({ name: 't', inputSchema: { type: 'object' } })).toBe(0);
  });

  it.each<[string, unknown]>([
    ['a lone surrogate', { ...properties, text: '\ud800' }],
    ['nesting without end', { ...properties, deep: nested(1001) }],
    ['a hole in a list', [...Array(2), properties]],
  ])('is refused where there is no canonical form: %s', (_what, value) => {
    expect(() => finish(digestInSteps(value))).toThrow(TypeError);
  });
});
