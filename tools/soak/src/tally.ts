// Requests and answers, counted while they happen, and the answers under keys.
import type { RpcMessage } from '../../fuzz/src/rpc/judge.js';

export interface Tally {
  count(face: string, outcome: string): void;
  problem(text: string): void;
  /** How long an answer took, in milliseconds. */
  took(ms: number): void;
  /** Records an answer for a key. */
  answered(key: string, given: unknown): void;
  readonly outcomes: () => Readonly<Record<string, number>>;
  readonly problems: () => readonly string[];
  /** In words: the median, the 99th percentile and the longest. */
  readonly times: () => string;
  /** For each key the kinds of its answers, each with the failures in words: none for a result. */
  readonly keys: () => ReadonlyMap<string, ReadonlyMap<KeyAnswer, ReadonlySet<string>>>;
}

/** `result` is the server's; `unsent` says that nothing was sent; `failed` that it may have run. */
export type KeyAnswer = 'result' | 'failed' | 'unsent' | 'wrong';

const keptProblems = 100;

export function createTally(): Tally {
  const outcomes: Record<string, number> = {};
  const problems: string[] = [];
  const times: number[] = [];
  const keys = new Map<string, Map<KeyAnswer, Set<string>>>();
  return {
    count(face, outcome) {
      const name = `${face}: ${outcome}`;
      outcomes[name] = (outcomes[name] ?? 0) + 1;
    },
    problem: (text) => void (problems.length < keptProblems && problems.push(text)),
    took: (ms) => void times.push(ms),
    answered(key, given) {
      const envelope = (given ?? {}) as Envelope;
      const answers = keys.get(key) ?? new Map<KeyAnswer, Set<string>>();
      const answer = keyAnswerOf(key, envelope);
      const failures = answers.get(answer) ?? new Set();
      if (envelope.ok !== true) failures.add(inWords(envelope));
      keys.set(key, answers.set(answer, failures));
    },
    outcomes: () => outcomes,
    problems: () => problems,
    times() {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
      return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
    },
    keys: () => keys,
  };
}

interface Envelope {
  readonly ok?: boolean;
  readonly data?: { readonly structuredContent?: { readonly key?: string } };
  readonly retry?: { readonly upstream_execution_state?: string };
  readonly error?: { readonly code?: string; readonly message?: string } | null;
}

function keyAnswerOf(key: string, { ok, data, retry }: Envelope): KeyAnswer {
  if (ok === true) return data?.structuredContent?.key === key ? 'result' : 'wrong';
  return retry?.upstream_execution_state === 'not_started' ? 'unsent' : 'failed';
}

function inWords({ error, retry }: Envelope): string {
  return `${error?.code}: ${error?.message} (${retry?.upstream_execution_state})`;
}

/** In a word: `result`, or the code of what went wrong. */
export function outcomeOf({ result, error }: RpcMessage): string {
  if (error !== undefined) return `error ${String(error.code)}`;
  const { isError, structuredContent } = (result ?? {}) as { isError?: boolean; structuredContent?: Envelope };
  return isError === true ? `isError ${structuredContent?.error?.code ?? ''}` : 'result';
}
