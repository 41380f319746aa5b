// Keys and fingerprints: golden ones, and what they do and do not depend on.
import { createHash } from 'node:crypto';
import { parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveKey, fingerprintOf, type Request } from './keys.js';

const request: Request = { kind: 'tool', id: 'git.push', args: { b: [1, { d: null, c: 'x' }], a: true } };

describe('deriveKey', () => {
  it('is a digest over id, canonical arguments, actor and request id', () => {
    const text = '["git.push",{"a":true,"b":[1,{"c":"x","d":null}]},"me","r-1"]';
    expect(deriveKey(request, 'me', 'r-1')).toBe(`idk_${createHash('sha256').update(text).digest('hex')}`);
    expect(deriveKey(request, 'me', 'r-1')).toBe(
      'idk_e9ccb8299dbf1cc7a00f30961af991e68b29b64777d4b3958af1a95a854ac6ac',
    );
  });

  it('is another one for another id, argument, actor, request id, kind or step', () => {
    const keys = [
      deriveKey(request, 'me', 'r'),
      deriveKey({ ...request, id: 'git.pull' }, 'me', 'r'),
      deriveKey({ ...request, args: {} }, 'me', 'r'),
      deriveKey(request, 'you', 'r'),
      deriveKey(request, null, 'r'),
      deriveKey(request, 'me', 'r2'),
      deriveKey({ ...request, kind: 'prompt' }, 'me', 'r'),
      deriveKey({ ...request, kind: 'resource' }, 'me', 'r'),
      deriveKey(request, 'me', 'r', 'step-1'),
      deriveKey(request, 'me', 'r', 'step-2'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('does not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (args) => {
        const text = JSON.stringify(args); // what a client may send, in any order
        const given = parseJson(text);
        expect(deriveKey({ ...request, args: reversed(given) }, null, 'r')).toBe(
          deriveKey({ ...request, args: given }, null, 'r'),
        );
      }),
    );
  });

  it('refuses what has no canonical form', () => {
    expect(() => deriveKey({ ...request, args: { a: '\ud800' } }, null, 'r')).toThrow(TypeError);
  });
});

describe('fingerprintOf', () => {
  it('distinguishes kinds, ids and arguments, and nothing else', () => {
    const all = [
      fingerprintOf(request),
      fingerprintOf({ ...request, kind: 'prompt' }),
      fingerprintOf({ ...request, id: 'git.pull' }),
      fingerprintOf({ ...request, args: {} }),
    ];
    expect(new Set(all).size).toBe(4);
    expect(fingerprintOf({ ...request, args: reversed(request.args) })).toBe(all[0]);
  });
});

/** The same JSON with every object's keys the other way round. */
function reversed<T>(value: T): T;
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
