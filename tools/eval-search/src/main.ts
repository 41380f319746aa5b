// `npm run eval:search`: prints how well search ranks and how fast it is, with the flags of options.ts by an embedder as
// well; fails when recall@5 by words is below what is accepted.
// Never fails for a latency figure, because those depend on the machine.
import { createEmbedder } from '@portico/delivery';
import { createSearchIndex } from '@portico/search';
import { readDevQueries, readTools, toDocument } from './dataset.js';
import { evaluate, MIN_RECALL_AT_5 } from './evaluate.js';
import { type Latency, measureLatency } from './latency.js';
import type { Metrics } from './metrics.js';
import { readEmbeddings } from './options.js';
import { embedData } from './semantic.js';
import { createSyntheticDocuments } from './synthetic-tools.js';

const queries = readDevQueries();
const texts = queries.map((query) => query.text);
const documents = readTools('tools-45.json').map(toDocument);
const index = createSearchIndex(documents);
const metrics = evaluate(index, queries);
const fused = await evaluateFused();

console.log(`Ranking, ${queries.length} dev queries over 45 tools`);
console.table({
  'recall@5': { ...figures(({ recallAt5 }) => recallAt5), least: MIN_RECALL_AT_5.toFixed(4) },
  MRR: figures(({ mrr }) => mrr),
  'nDCG@10': figures(({ ndcgAt10 }) => ndcgAt10),
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

/** Null where no embedder is configured. */
async function evaluateFused(): Promise<Metrics | null> {
  const config = readEmbeddings(process.argv.slice(2));
  if (config === null) return null;
  const embedder = createEmbedder(config, { env: process.env, directory: process.env.INIT_CWD ?? process.cwd() });
  try {
    const embed = (batch: readonly string[]) => embedder.embed(batch, new AbortController().signal);
    return evaluate(index, queries, await embedData(embed, documents, texts));
  } finally {
    await embedder.close();
  }
}

function figures(pick: (metrics: Metrics) => number): Record<string, string> {
  return { lexical: pick(metrics).toFixed(4), ...(fused === null ? {} : { fused: pick(fused).toFixed(4) }) };
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
