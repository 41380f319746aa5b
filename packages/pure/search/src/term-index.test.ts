// After any chain of changes, the terms and words of the index equal a new count over its segments.
import { finish } from '@portico/async';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSegmentInSteps } from './create-segment.js';
import { findIn } from './layered-map.js';
import { changeSegments, emptyTermIndex, type TermIndex } from './term-index.js';
import { documentOf } from './testing/documents.js';

const word = fc.constantFrom('connect', 'connected', 'connections', 'file', 'files', 'filed', 'é', '查', 'x1');
const texts = fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 3 });
/** Changes one to three servers at once: each then has other documents, or no documents. */
const change = fc.dictionary(fc.constantFrom('a', 'b', 'c'), texts, { minKeys: 1 });

const segmentOf = (server: string, descriptions: readonly (readonly string[])[]) =>
  finish(
    createSegmentInSteps(
      descriptions.map((words, at) => documentOf(`${server}.t${at}`, { description: words.join(' ') })),
    ),
  );

it('changes by what its servers have had and have', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      let index = emptyTermIndex;
      for (const servers of changes) {
        const before = index;
        const was = countsOf(before);
        const segments = Object.entries(servers).map(([server, given]) => [server, segmentOf(server, given)] as const);
        index = finish(changeSegments(index, new Map(segments)));
        expect(countsOf(index)).toEqual(countAnew(index));
        expect(countsOf(before)).toEqual(was);
      }
    }),
  );
});

it('takes a large server in many steps, and has all of it', () => {
  const words = Array.from({ length: 1500 }, (_, at) => [`w${at.toString(36)}x`]);
  const large = segmentOf('large', words);
  const steps = changeSegments(emptyTermIndex, new Map([['large', large]]));
  let count = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      expect(countsOf(step.value)).toEqual(countAnew(step.value));
      break;
    }
    count += 1;
  }
  expect(count).toBeGreaterThan(6);
});

/** Words and terms as the index reports them. */
function countsOf({ terms, wordCounts, vocabulary }: TermIndex) {
  const stems = new Set([...terms.base.keys(), ...terms.over.keys()].filter((stem) => findIn(terms, stem)));
  return {
    words: vocabulary.words.map((one) => [one, findIn(wordCounts, one)]),
    letterSets: vocabulary.letterSets.length,
    terms: [...stems].sort().map((stem) => {
      const term = findIn(terms, stem);
      return [stem, term?.documentCount, new Set(term?.postings)];
    }),
  };
}

function countAnew({ segments }: TermIndex): ReturnType<typeof countsOf> {
  const all = [...segments.values()].flatMap(({ postings }) => [...postings]);
  const words = all.flatMap(([, postings]) => postings.words);
  const stems = [...new Set(all.map(([stem]) => stem))].sort();
  return {
    words: [...new Set(words)].sort().map((one) => [one, words.filter((other) => other === one).length]),
    letterSets: new Set(words).size,
    terms: stems.map((stem) => {
      const postings = all.filter(([other]) => other === stem).map(([, found]) => found);
      return [stem, postings.reduce((sum, { positions }) => sum + positions.length, 0), new Set(postings)];
    }),
  };
}
