// Search over 10,000 tools as the daemon runs it, inside one process: how long a search takes, and how long until the
// index knows of a server that has changed.
import { createSearchIndex } from '@portico/search';
import { readDevQueries, readTools, toDocument } from '../../../eval-search/src/dataset.js';
import { createSyntheticDocuments } from '../../../eval-search/src/synthetic-tools.js';
import { inRounds, type Scenario } from '../bench.js';
import { type Row, under } from '../rows.js';
import { median, percentile } from '../statistics.js';

const [servers, toolsEach] = [20, 500];

export const search: Scenario = {
  name: 'search',
  async run(bench): Promise<readonly Row[]> {
    const queries = readDevQueries();
    const documents = createSyntheticDocuments(readTools('tools-527.json').map(toDocument), servers, toolsEach);
    const index = createSearchIndex(documents);
    const changed = documents.filter(({ server }) => server === 'server7');
    const searchAll = () => queries.map(({ text }) => timeMs(() => index.search({ text, limit: 10 })));
    searchAll(); // warm up

    const rounds = await inRounds(bench.rounds, async () => {
      const searches = Array.from({ length: bench.count(20) }, searchAll).flat();
      const updates = Array.from({ length: bench.count(20) }, () =>
        timeMs(() => index.replaceServer('server7', changed)),
      );
      return { p50: median(searches), p99: percentile(searches, 0.99), update: median(updates) };
    });
    const row = (what: string, figures: readonly number[], most: number): Row => ({
      scenario: `Search over ${documents.length} tools: ${what}`,
      figures,
      unit: 'ms',
      digits: 2,
      target: under(most),
    });
    return [
      row(
        `p50 of ${queries.length} queries`,
        rounds.map(({ p50 }) => p50),
        1,
      ),
      row(
        'p99',
        rounds.map(({ p99 }) => p99),
        5,
      ),
      row(
        `its index after a change of a server of ${toolsEach} tools`,
        rounds.map(({ update }) => update),
        50,
      ),
    ];
  },
};

function timeMs(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
