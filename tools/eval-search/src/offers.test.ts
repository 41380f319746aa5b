// The rates that answers must keep: few confident ones where the right tool is hidden, few lost where it is found. By the
// product's own bounds, and by bounds that are chosen without the set that they are measured on.
import { readBuiltInModel } from '@portico/delivery';
import { createSearchIndex, embedDocument } from '@portico/search';
import { expect, it } from 'vitest';
import { readSets } from './dataset.js';
import { crossValidateBounds, judgeAnswers, offerRows } from './offers.js';
import { embedData } from './semantic.js';

const model = await readBuiltInModel();
const builtIn = {
  ...{ trust: 6, understands: model.understands, isWord: model.isWord },
  vectorOf: (document: Parameters<typeof embedDocument>[0]) => embedDocument(document, model.embed),
};
const judged = await Promise.all(
  readSets().map(async (set) => {
    const texts = set.queries.map(({ text }) => text);
    const meaningOf = await embedData(async (some) => some.map(model.embed), set.documents, texts, builtIn);
    return { set, name: set.name, judged: judgeAnswers(set, createSearchIndex(set.documents), meaningOf) };
  }),
);

it.each(judged)(
  'is confident of at most 20% of the wrong answers and loses at most 5% of the right ones: $name',
  ({ set, judged }) => {
    const [found, hidden] = offerRows(set, judged).map((row) => row.split(' | ').map(Number.parseFloat));
    const [confidentWhenHidden = Number.NaN, lost = Number.NaN] = [hidden?.[2], found?.[4]];
    expect(confidentWhenHidden).toBeLessThanOrEqual(20);
    expect(lost).toBeLessThanOrEqual(5);
    expect(found?.[2]).toBeGreaterThan(confidentWhenHidden * 2);
  },
);

it('keeps both with bounds of the other sets', () => {
  for (const row of crossValidateBounds(judged)) {
    const [, , hidden, , , lost] = row.split(' | ').map(Number.parseFloat);
    expect(hidden).toBeLessThanOrEqual(20);
    expect(lost).toBeLessThanOrEqual(5);
  }
});
