// `npm run eval:search`: prints how well search ranks and how fast it is; fails when recall@5 is below what is accepted.
// Never fails for a latency figure, because those depend on the machine.
import { createSearchIndex } from '@portico/search';
import { readDevQueries, readTools, toDocument } from './dataset.js';
import { evaluate, MIN_RECALL_AT_5 } from './evaluate.js';
import { type Latency, measureLatency } from './latency.js';
import { createSyntheticDocuments } from './synthetic-tools.js';

const queries = readDevQueries();
const texts = queries.map((query) => query.text);
const metrics = evaluate(createSearchIndex(readTools('tools-45.json').map(toDocument)), queries);

console.log(`Ranking, ${queries.length} dev queries over 45 tools`);
console.table({
  'recall@5': { value: metrics.recallAt5.toFixed(4), least: MIN_RECALL_AT_5.toFixed(4) },
  MRR: { value: metrics.mrr.toFixed(4) },
  'nDCG@10': { value: metrics.ndcgAt10.toFixed(4) },
});

const realDocuments = readTools('tools-527.json').map(toDocument);
const syntheticDocuments = createSyntheticDocuments(realDocuments, 50, 200);
console.log('Latency in milliseconds');
console.table([measureLatency(realDocuments, texts), measureLatency(syntheticDocuments, texts)].map(toRow));

if (metrics.recallAt5 < MIN_RECALL_AT_5) {
  console.error(
    `recall@5 is ${metrics.recallAt5.toFixed(4)}, below ${MIN_RECALL_AT_5}: see docs/decisions/search-ranking.md`,
  );
  process.exitCode = 1;
}

function toRow(latency: Latency): Record<string, number | string> {
  return {
    tools: latency.tools,
    'search p50': latency.searchP50Ms.toFixed(3),
    'search p99': latency.searchP99Ms.toFixed(3),
    'index build': latency.buildMs.toFixed(1),
    replaceServer: latency.replaceServerMs.toFixed(1),
    'tools replaced': latency.toolsReplaced,
  };
}
