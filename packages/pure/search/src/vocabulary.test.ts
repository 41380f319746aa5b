import { finish } from '@portico/async';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOneEditApart } from './edit-distance.js';
import { changeVocabulary, emptyVocabulary, type Vocabulary, wordsOneEditFrom, wordsWithPrefix } from './vocabulary.js';

const none = new Set<string>();
const change = (vocabulary: Vocabulary, gone: ReadonlySet<string>, fresh: ReadonlySet<string>) =>
  finish(changeVocabulary(vocabulary, gone, fresh));
const vocabulary = change(emptyVocabulary, none, new Set(['tree', 'table', 'tab', 'fable']));

describe('a vocabulary', () => {
  it('stays sorted as words come and go', () => {
    expect(vocabulary.words).toEqual(['fable', 'tab', 'table', 'tree']);
    expect(change(vocabulary, new Set(['tab']), new Set(['zoo', 'a'])).words).toEqual([
      'a',
      'fable',
      'table',
      'tree',
      'zoo',
    ]);
  });

  it('lists what begins with a prefix, up to the limit', () => {
    expect(wordsWithPrefix(vocabulary, 'ta', 10)).toEqual(['tab', 'table']);
    expect(wordsWithPrefix(vocabulary, 't', 1)).toEqual(['tab']);
    expect(wordsWithPrefix(vocabulary, 'x', 10)).toEqual([]);
  });

  it('finds exactly the words that are one slip away', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '查'), maxLength: 5 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 30 }), word, (words, asked) => {
        const found = wordsOneEditFrom(change(emptyVocabulary, none, new Set(words)), asked, 100);
        expect(found).toEqual(words.filter((one) => isOneEditApart(asked, one)).sort());
      }),
    );
  });
});
