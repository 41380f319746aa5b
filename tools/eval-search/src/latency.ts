// Wall-clock figures for one catalog: how long building, searching and replacing a server take.
// Never asserts: figures depend on the machine.
import { createSearchIndex, type Meaning, type SearchDocument, type SearchIndex } from '@portico/search';

/** Milliseconds. */
export interface Latency {
  readonly tools: number;
  readonly buildMs: number;
  readonly searchP50Ms: number;
  readonly searchP99Ms: number;
  /** Over the questions, of the fastest run of each. */
  readonly quietP50Ms: number;
  readonly quietP99Ms: number;
  readonly replaceServerMs: number;
  readonly toolsReplaced: number;
}

const ROUNDS = 50;

/** Measures a warm index: one round of searches runs before the clock counts. */
export function measureLatency(
  documents: readonly SearchDocument[],
  texts: readonly string[],
  meaningOf?: (text: string) => Meaning | undefined,
): Latency {
  const [index, buildMs] = timed(() => createSearchIndex(documents));
  searchAll(index, texts, meaningOf);
  const rounds = Array.from({ length: ROUNDS }, () => searchAll(index, texts, meaningOf));
  const searches = rounds.flat();
  const quiet = texts.map((_, at) => Math.min(...rounds.map((round) => round[at] ?? 0)));
  const largest = largestServer(documents);
  const replacements = Array.from(
    { length: 10 },
    () => timed(() => index.replaceServer(largest.server, largest.tools))[1],
  );
  return {
    tools: documents.length,
    buildMs,
    searchP50Ms: percentile(searches, 0.5),
    searchP99Ms: percentile(searches, 0.99),
    quietP50Ms: percentile(quiet, 0.5),
    quietP99Ms: percentile(quiet, 0.99),
    replaceServerMs: percentile(replacements, 0.5),
    toolsReplaced: largest.tools.length,
  };
}

function searchAll(
  index: SearchIndex,
  texts: readonly string[],
  meaningOf?: (text: string) => Meaning | undefined,
): readonly number[] {
  return texts.map((text) => timed(() => index.search({ text, limit: 10 }, meaningOf?.(text)))[1]);
}

function largestServer(documents: readonly SearchDocument[]): { server: string; tools: readonly SearchDocument[] } {
  const byServer = new Map<string, SearchDocument[]>();
  for (const document of documents) byServer.set(document.server, [...(byServer.get(document.server) ?? []), document]);
  const [first] = [...byServer].sort(([, a], [, b]) => b.length - a.length);
  return { server: first?.[0] ?? '', tools: first?.[1] ?? [] };
}

function timed<T>(run: () => T): [T, number] {
  const startedAt = performance.now();
  const value = run();
  return [value, performance.now() - startedAt];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
