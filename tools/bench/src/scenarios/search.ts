// Search over 10,000 tools as the daemon runs it, inside one process: how long a search takes, by words and by words and
// meaning, as it is by default, and how long until the index knows of a server that has changed.
import { readBuiltInModel } from '@portico/delivery';
import { createSearchIndex, embedDocument, type Meaning, type SearchDocument, type SearchIndex } from '@portico/search';
import { readDevQueries, readTools, toDocument } from '../../../eval-search/src/dataset.js';
import { embedData } from '../../../eval-search/src/semantic.js';
import { createSyntheticDocuments } from '../../../eval-search/src/synthetic-tools.js';
import { inRounds, type Scenario } from '../bench.js';
import { type Row, under } from '../rows.js';
import { median, percentile } from '../statistics.js';

const [servers, toolsEach] = [20, 500];

export const search: Scenario = {
  name: 'search',
  async run(bench): Promise<readonly Row[]> {
    const texts = readDevQueries().map(({ text }) => text);
    const sample = createSyntheticDocuments(readTools('tools-527.json').map(toDocument), servers, toolsEach);
    const documents = sample.map((document) => ({ ...document, digest: document.id }));
    const index = createSearchIndex(documents);
    const changed = documents.filter(({ server }) => server === 'server7');
    const model = await readBuiltInModel();
    const vectorOf = (document: SearchDocument) => embedDocument(document, model.embed);
    const meaningOf = await embedData(async (some) => some.map(model.embed), documents, texts, {
      ...{ trust: 6, understands: model.understands, isWord: model.isWord, vectorOf },
    });
    /** The vector of the query is a part of the search. */
    const byBoth = (text: string) => {
      model.embed(text);
      return meaningOf(text);
    };
    const ways = { words: () => undefined, both: byBoth };
    for (const way of Object.values(ways)) searchAll(index, texts, way); // warm up

    const rounds = await inRounds(bench.rounds, async () => {
      const timesOf = (way: (text: string) => Meaning | undefined) =>
        Array.from({ length: bench.count(20) }, () => searchAll(index, texts, way)).flat();
      const [words, both] = [timesOf(ways.words), timesOf(ways.both)];
      const updates = Array.from({ length: bench.count(20) }, () =>
        timeMs(() => index.replaceServer('server7', changed)),
      );
      return { words, both, update: median(updates) };
    });
    const row = (what: string, figures: readonly number[], most: number): Row => ({
      scenario: `Search over ${documents.length} tools: ${what}`,
      figures,
      unit: 'ms',
      digits: 2,
      target: under(most),
    });
    const p99 = (values: readonly number[]) => percentile(values, 0.99);
    const figures = (pick: (round: (typeof rounds)[number]) => number) => rounds.map(pick);
    return [
      row(
        `p50 of ${texts.length} queries, by words and meaning`,
        figures(({ both }) => median(both)),
        1.5,
      ),
      row(
        'p99, by words and meaning',
        figures(({ both }) => p99(both)),
        4,
      ),
      row(
        `p50 of ${texts.length} queries, by words`,
        figures(({ words }) => median(words)),
        1,
      ),
      row(
        'p99, by words',
        figures(({ words }) => p99(words)),
        5,
      ),
      row(
        `its index after a change of a server of ${toolsEach} tools`,
        figures(({ update }) => update),
        50,
      ),
    ];
  },
};

function searchAll(
  index: SearchIndex,
  texts: readonly string[],
  meaningOf: (text: string) => Meaning | undefined,
): readonly number[] {
  return texts.map((text) => timeMs(() => index.search({ text, limit: 8 }, meaningOf(text))));
}

function timeMs(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
