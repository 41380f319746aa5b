// Every way in which a client may say which version it has.
import { describe, expect, it } from 'vitest';
import { matchesEtag, quoteEtag } from './etag.js';

const etag = 'sha256:abc-p:dev:01';

describe('matchesEtag', () => {
  it.each([
    ['"sha256:abc-p:dev:01"', true],
    ['sha256:abc-p:dev:01', true],
    ['W/"sha256:abc-p:dev:01"', true],
    ['"other", "sha256:abc-p:dev:01"', true],
    ['"other",W/"sha256:abc-p:dev:01" , "third"', true],
    ['*', true],
    [' * ', true],
    ['"other"', false],
    ['"sha256:abc"', false],
    ['"sha256:abc-p:dev:012"', false],
    ['', false],
    ['"', false],
    [undefined, false],
  ])('of %j is %s', (header, expected) => {
    expect(matchesEtag(header, etag)).toBe(expected);
  });

  it('writes the tag in quotes', () => {
    expect(quoteEtag(etag)).toBe('"sha256:abc-p:dev:01"');
  });
});
