// Names of upstream tools: valid, stable, and never two things under one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nativeName } from './names.js';

describe('nativeName', () => {
  it.each([
    ['git', 'push', 'git__push'],
    ['git', '_x', 'git___x'],
    ['git-2', 'a.b-c_d', 'git-2__a.b-c_d'],
    ['git', 'do it!', 'git__do_it__20d872d5'],
    ['a__b', 'c', 'a__b__c_57a76311'],
    ['a', 'b__c', 'a__b__c'],
    ['a_', 'c', 'a___c_eb2b3d60'],
  ])('of %s and %s is %s', (server, tool, expected) => {
    expect(nativeName(server, tool)).toBe(expected);
  });

  it('is valid for every tool, and different for different ones', () => {
    const server = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
    const tool = fc.oneof(fc.stringMatching(/^[a_b.-]{1,9}$/), fc.string({ minLength: 1, maxLength: 200 }));
    fc.assert(
      fc.property(server, tool, server, tool, (serverA, toolA, serverB, toolB) => {
        const a = nativeName(serverA, toolA);
        expect(a).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
        if (serverA !== serverB || toolA !== toolB) expect(nativeName(serverB, toolB)).not.toBe(a);
      }),
    );
  });
});
