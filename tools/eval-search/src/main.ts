// `npm run eval:search`: measures how well search ranks by words, by the built-in model and by both, beside the teacher of
// that model, and writes the tables into docs/search-quality.md; with the flags of options.ts an embedder is measured as well, and
// nothing is written. Fails when recall@5 by words is below what is accepted.
// Never fails for a latency figure, because those depend on the machine.
import { writeFileSync } from 'node:fs';
import { createEmbedder, readBuiltInModel } from '@portico/delivery';
import { createSearchIndex, embedDocument, toEmbeddingText } from '@portico/search';
import { meanCost } from './answer-cost.js';
import { crossValidate } from './choose.js';
import { type EvaluationSet, readSets, readTeacher, readTools, toDocument } from './dataset.js';
import { evaluate, MIN_RECALL_AT_5, rank } from './evaluate.js';
import { keptMemory } from './kept-memory.js';
import { type Latency, measureLatency } from './latency.js';
import { crossValidateBounds, curveRow, type Judged, judgeAnswers, offerRows } from './offers.js';
import { readOptions } from './options.js';
import { costRow, type Ranker, rankingTable, speedRow } from './report.js';
import { type Embed, embedData, type Traits } from './semantic.js';
import { createSyntheticDocuments } from './synthetic-tools.js';
import { writeTables } from './write-tables.js';

/** As the plane has it. */
const trust = 6;

const { embeddings, textsFile } = readOptions(process.argv.slice(2));
const sets = readSets();
const teacher = readTeacher();
const model = await readBuiltInModel();
const embed: Embed = async (texts) => texts.map(model.embed);
const builtIn: Traits = {
  trust,
  understands: model.understands,
  isWord: model.isWord,
  vectorOf: (document) => embedDocument(document, model.embed),
};

if (textsFile === null) await measure();
else writeFileSync(textsFile, JSON.stringify(Object.fromEntries(sets.map((set) => [set.name, textsOf(set)]))));

async function measure(): Promise<void> {
  const rows: string[] = [];
  const [offers, curve, costs]: [string[], string[], string[]] = [[], [], []];
  const bounded: { readonly name: string; readonly judged: readonly Judged[] }[] = [];
  for (const set of sets) {
    const index = createSearchIndex(set.documents);
    const texts = set.queries.map(({ text }) => text);
    const meaningOf = await embedData(embed, set.documents, texts, builtIn);
    const rankers = new Map<string, Ranker>([
      ['words', ({ text }) => rank(index, text)],
      [
        'built-in model',
        byMeaningAlone(set, await embedData(embed, set.documents, texts, { ...builtIn, understands: () => true })),
      ],
      ['both', ({ text }) => rank(index, text, meaningOf(text))],
      ['teacher of the model', ({ text }) => teacher[set.name]?.[text] ?? []],
      ...(await embedderRow(set, texts)),
    ]);
    rows.push(...rankingTable(set, rankers));
    const judged = judgeAnswers(set, index, meaningOf);
    offers.push(...offerRows(set, judged));
    bounded.push({ name: set.name, judged });
    curve.push(curveRow(set, judged));
    costs.push(costRow(set, meanCost(set, index), meanCost(set, index, meaningOf)));
  }
  const chosen = await crossValidate(sets, embed, builtIn);
  const speed = await measureSpeed();
  const memory = [await measureKept()];
  const tables = { rows, offers, bounds: crossValidateBounds(bounded), curve, costs, chosen, speed, memory };
  console.log(Object.values(tables).flat().join('\n'));
  if (embeddings === null) writeTables(tables);
  requireWords();
}

/** The order by cosine alone. */
function byMeaningAlone({ documents }: EvaluationSet, meaningOf: Awaited<ReturnType<typeof embedData>>): Ranker {
  return ({ text }) => {
    const similarities = new Float32Array(documents.length);
    meaningOf(text)?.compare(documents, similarities, 0, false);
    const order = documents.map(({ id }, at) => ({ id, similarity: similarities[at] ?? 0 }));
    return order.sort((a, b) => b.similarity - a.similarity).map(({ id }) => id);
  };
}

/** None if no embedder is given. */
async function embedderRow(
  set: EvaluationSet,
  texts: readonly string[],
): Promise<readonly (readonly [string, Ranker])[]> {
  if (embeddings === null) return [];
  const embedder = createEmbedder(embeddings, { env: process.env, directory: process.env.INIT_CWD ?? process.cwd() });
  try {
    const ask: Embed = (batch) => embedder.embed(batch, new AbortController().signal);
    const meaningOf = await embedData(ask, set.documents, texts);
    const index = createSearchIndex(set.documents);
    return [['words and the embedder', ({ text }) => rank(index, text, meaningOf(text))]];
  } finally {
    await embedder.close();
  }
}

/** By words and by both, and how many times as long the latter takes: that depends less on the machine. */
async function measureSpeed(): Promise<readonly string[]> {
  const real = readTools('tools-527.json').map(toDocument);
  const texts = sets[0]?.queries.map(({ text }) => text) ?? [];
  const rows: string[] = [];
  for (const documents of [real, createSyntheticDocuments(real, 50, 200)]) {
    const digested = documents.map((document) => ({ ...document, digest: document.id }));
    const meaningOf = await embedData(embed, digested, texts, builtIn);
    const [words, both] = [measureLatency(digested, texts), measureLatency(digested, texts, meaningOf)];
    console.table([words, both].map(toRow));
    rows.push(speedRow(words, both));
  }
  return rows;
}

/** In the largest catalog of the speed rows. */
async function measureKept(): Promise<string> {
  const kept = await keptMemory(trust);
  const inMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return `| ${[kept.model, kept.vectors, kept.model + kept.vectors].map(inMegabytes).join(' | ')} |`;
}

function requireWords(): void {
  const [first] = sets;
  if (first === undefined) return;
  const { recallAt5 } = evaluate(createSearchIndex(first.documents), first.queries);
  if (recallAt5 >= MIN_RECALL_AT_5) return;
  console.error(`recall@5 is ${recallAt5.toFixed(4)}, below ${MIN_RECALL_AT_5}: see docs/decisions/search-ranking.md`);
  process.exitCode = 1;
}

function textsOf({ documents, queries }: EvaluationSet): Record<string, readonly string[]> {
  return {
    ids: documents.map(({ id }) => id),
    tools: documents.map(toEmbeddingText),
    queries: queries.map(({ text }) => text),
  };
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
