// The gate that lets one execution per key through. Repeats get its outcome: from the run itself while it is under way,
// from the ledger afterwards. The intent is durable before the work begins, the outcome before anybody hears of it.
import type { Intent, Ledger, LedgerRecord } from './ledger.js';

/** What came of the work. An outcome that is not kept leaves no record: the upstream was never contacted. */
export interface Finished {
  /** JSON text. */
  readonly response: string;
  readonly keep: boolean;
}

export type OnceResult =
  /** This request ran the work. */
  | { readonly kind: 'ran'; readonly response: string }
  /** Another request with the same key was running it, and this is its outcome. */
  | { readonly kind: 'joined'; readonly response: string }
  /** It had been run before. */
  | { readonly kind: 'replayed'; readonly response: string }
  /** The key was used for something else. */
  | { readonly kind: 'mismatch' };

export interface KeyUse {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
}

export interface RunOnce {
  /**
   * Runs the work unless the key has been used. Rejects as the work does, and the intent then stays as it is; with the
   * signal's reason when it aborts while this request waits for another's run.
   */
  run(intent: Intent, work: () => Promise<Finished>, signal: AbortSignal): Promise<OnceResult>;
  /** The outcome of a key that has been used, waiting for a run under way; undefined for a key that is free. */
  find(use: KeyUse, signal: AbortSignal): Promise<Exclude<OnceResult, { readonly kind: 'ran' }> | undefined>;
}

export interface RunOnceDeps {
  readonly ledger: Ledger;
  /** Milliseconds since the Unix epoch. */
  readonly epochMs: () => number;
  /** How long an outcome is kept, milliseconds. */
  readonly ttlMs: () => number;
}

interface Run {
  readonly fingerprint: string;
  readonly finished: Promise<Finished | LedgerRecord>;
}

export function createRunOnce({ ledger, epochMs, ttlMs }: RunOnceDeps): RunOnce {
  const running = new Map<string, Run>();
  const idOf = ({ scope, key }: KeyUse) => JSON.stringify([scope, key]);

  /** Resolves with what is now known of the key: the outcome of the work, or the record that was there before it. */
  const beginAndWork = async (intent: Intent, work: () => Promise<Finished>): Promise<Finished | LedgerRecord> => {
    const { scope, key } = intent;
    const existing = await ledger.begin(intent);
    if (existing !== undefined) return existing;
    const outcome = await work();
    if (!outcome.keep) await ledger.forget(scope, key);
    else {
      const completedAtMs = epochMs();
      await ledger.complete(scope, key, { ...outcome, completedAtMs, expiresAtMs: completedAtMs + ttlMs() });
    }
    return outcome;
  };

  const replay = async (record: LedgerRecord, fingerprint: string): Promise<Exclude<OnceResult, { kind: 'ran' }>> => {
    if (record.fingerprint !== fingerprint) return { kind: 'mismatch' };
    await ledger.countReplay(record.scope, record.key);
    return { kind: 'replayed', response: record.response };
  };

  const join = async (run: Run, use: KeyUse, signal: AbortSignal): Promise<Exclude<OnceResult, { kind: 'ran' }>> => {
    if (run.fingerprint !== use.fingerprint) return { kind: 'mismatch' };
    const finished = await orAborted(run.finished, signal);
    return isRecord(finished) ? replay(finished, use.fingerprint) : { kind: 'joined', response: finished.response };
  };

  return {
    async run(intent, work, signal) {
      const id = idOf(intent);
      const underWay = running.get(id);
      if (underWay !== undefined) return join(underWay, intent, signal);
      const finished = beginAndWork(intent, work);
      running.set(id, { fingerprint: intent.fingerprint, finished });
      try {
        const known = await finished;
        return isRecord(known) ? await replay(known, intent.fingerprint) : { kind: 'ran', response: known.response };
      } finally {
        running.delete(id);
      }
    },
    async find(use, signal) {
      const underWay = running.get(idOf(use));
      if (underWay !== undefined) return join(underWay, use, signal);
      const record = await ledger.get(use.scope, use.key, epochMs());
      return record && replay(record, use.fingerprint);
    },
  };
}

function isRecord(known: Finished | LedgerRecord): known is LedgerRecord {
  return 'fingerprint' in known;
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
