// Every way to write a URI that a server may read as another one is a spelling of it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spellingsOf } from './resource-names.js';

const normalForm = (uri: string) => spellingsOf(uri).at(-1);

describe('spellingsOf', () => {
  it.each([
    ['file:///public/../secret', ['file:///secret']],
    ['file:///%73ecret', ['file:///secret']],
    ['file:///%2e%2E/secret', ['file:///secret']],
    ['file:///public%2F..%2Fsecret', ['file:///public%2F..%2Fsecret', 'file:///secret']],
    ['file:///public%2Fx/../secret', ['file:///secret', 'file:///public/secret']],
    ['file:///public%3Fx%2F../secret', ['file:///public%3Fx%2F../secret', 'file:///secret']],
    ['file:///%2573ecret', ['file:///%73ecret', 'file:///secret']],
    ['FILE://LocalHost/a', ['file:///a']],
    ['file:/secret', ['file:///secret']],
    ['HTTP://Me@HOST/A?Q', ['http://Me@host/A?Q']],
    ['fs:public/../secret', ['fs:secret']],
    ['x:/a/..//B', ['x:/.//B']],
    ['a/../b:c', ['./b:c']],
    ['file:///caf%c3%a9', ['file:///caf%C3%A9', 'file:///café']],
    ['file:///%ff%C3', ['file:///%FF%C3']],
    ['file:///a//b?x=../y', []],
    ['', []],
  ])('reads %s also as %j', (uri, others) => {
    const found = spellingsOf(uri);
    expect(found[0]).toBe(uri);
    for (const other of others) expect(found).toContain(other);
    expect(found.at(-1)).toBe(others.at(-1) ?? uri);
  });

  const uriText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', 'B', '/', '.', '%', '2', '5', 'F', 'e', ':', '?', '#', '@', '%2e', '%2F') }),
    fc.string({ unit: fc.constantFrom('/', '..', '.', 'x', '%2F', '%3F', ':', 'A') }).map((path) => `fs:${path}`),
  );

  it('contains the text as given, no spelling twice, and never throws', () => {
    fc.assert(
      fc.property(uriText, (uri) => {
        const found = spellingsOf(uri);
        expect(found[0]).toBe(uri);
        expect(new Set(found).size).toBe(found.length);
      }),
      { numRuns: 3000 },
    );
  });

  it('leaves a normal form alone', () => {
    fc.assert(
      fc.property(uriText, (uri) => {
        const normal = normalForm(uri) ?? '';
        expect(spellingsOf(normal)).toEqual([normal]);
      }),
      { numRuns: 5000 },
    );
  });

  const segment = fc.string({ unit: fc.constantFrom('a', 'B', '.', '%', '4', '1', 'é', '😀', ' '), maxLength: 6 });

  it('has one normal form however the path is encoded', () => {
    fc.assert(
      fc.property(fc.array(segment), fc.infiniteStream(fc.nat(2)), (segments, choices) => {
        const path = segments.join('/');
        const encoded = [...path]
          .map((character) => {
            const times = choices.next().value ?? 0;
            const once = times > 0 ? encodeOctets(character) : character;
            return times > 1 ? once.replaceAll('%', '%25') : once;
          })
          .join('');
        expect(normalForm(`file:///${encoded}`)).toBe(normalForm(`file:///${path}`));
      }),
      { numRuns: 1000 },
    );
  });

  it('has one normal form with and without a detour', () => {
    const plain = segment.filter((text) => !/^\.*$/.test(text) && !text.includes('%'));
    fc.assert(
      fc.property(fc.array(segment), fc.nat(), plain, (segments, at, detour) => {
        const around = segments.toSpliced(at % (segments.length + 1), 0, detour, '..');
        // An empty path and its slash mean the same.
        const [path, longer] = [
          [...segments, 'end'],
          [...around, 'end'],
        ].map((list) => list.join('/'));
        expect(normalForm(`file:///${longer}`)).toBe(normalForm(`file:///${path}`));
      }),
      { numRuns: 1000 },
    );
  });

  it('takes a long text of anything: quadratic time would run into the time limit of the test', () => {
    for (const piece of ['%25', '%', '../', 'a/', '%2525', '%C3', '%2e%2e%2f', ':', '@', '%%34']) {
      const uri = `file:///${piece.repeat(200_000 / piece.length)}`;
      expect(spellingsOf(uri)[0]).toHaveLength(uri.length);
    }
  });
});

function encodeOctets(character: string): string {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16).padStart(2, '0')}` : encoded;
}
