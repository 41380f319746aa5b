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

/** The intent could not be written, so the work never began. */
export class NotBegun extends Error {}

export interface Attempt {
  /** Whether this request runs the work; otherwise another with the key does, and this one may stop to wait. */
  readonly isOwn: boolean;
  /** Rejects with NotBegun, and otherwise only where the outcome could not be written: the intent then stays as it is. */
  readonly result: Promise<OnceResult>;
}

export interface RunOnce {
  /** Runs the work unless the key has been used. The work never rejects. */
  run(intent: Intent, work: () => Promise<Finished>): Attempt;
  /** The outcome of a key that has been used, waiting for a run under way; undefined for a key that is free. */
  find(use: KeyUse): Promise<Known | undefined>;
}

/** What a request gets that does not run the work itself. */
export type Known = Exclude<OnceResult, { readonly kind: 'ran' }>;

export interface RunOnceDeps {
  readonly ledger: Ledger;
  /** Milliseconds since the Unix epoch. */
  readonly epochMs: () => number;
  /** How long an outcome is kept, milliseconds. */
  readonly ttlMs: () => number;
  /** Told why a replay was not counted, and of what. */
  readonly onUncounted: (error: unknown, record: LedgerRecord) => void;
}

interface Run {
  readonly fingerprint: string;
  readonly finished: Promise<Finished | LedgerRecord>;
}

export function createRunOnce({ ledger, epochMs, ttlMs, onUncounted }: RunOnceDeps): RunOnce {
  const running = new Map<string, Run>();
  const idOf = ({ scope, key }: KeyUse) => JSON.stringify([scope, key]);

  /** Resolves with what is now known of the key: the outcome of the work, or the record that was there before it. */
  const beginAndWork = async (intent: Intent, work: () => Promise<Finished>): Promise<Finished | LedgerRecord> => {
    const { scope, key } = intent;
    const existing = await ledger.begin(intent).catch((cause: unknown) => {
      throw new NotBegun(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    if (existing !== undefined) return existing;
    const outcome = await work();
    if (!outcome.keep) await ledger.forget(scope, key);
    else {
      const completedAtMs = epochMs();
      await ledger.complete(scope, key, { ...outcome, completedAtMs, expiresAtMs: completedAtMs + ttlMs() });
    }
    return outcome;
  };

  const replay = async (record: LedgerRecord, fingerprint: string): Promise<Known> => {
    if (record.fingerprint !== fingerprint) return { kind: 'mismatch' };
    await ledger.countReplay(record.scope, record.key).catch((error: unknown) => onUncounted(error, record)); // the answer is there all the same
    return { kind: 'replayed', response: record.response };
  };

  const join = async (run: Run, { fingerprint }: KeyUse): Promise<Known> => {
    if (run.fingerprint !== fingerprint) return { kind: 'mismatch' };
    const finished = await run.finished;
    return isRecord(finished) ? replay(finished, fingerprint) : { kind: 'joined', response: finished.response };
  };

  const lead = async (intent: Intent, { finished }: Run): Promise<OnceResult> => {
    try {
      const known = await finished;
      return isRecord(known) ? await replay(known, intent.fingerprint) : { kind: 'ran', response: known.response };
    } finally {
      running.delete(idOf(intent));
    }
  };

  return {
    run(intent, work) {
      const underWay = running.get(idOf(intent));
      if (underWay !== undefined) return { isOwn: false, result: join(underWay, intent) };
      const run = { fingerprint: intent.fingerprint, finished: beginAndWork(intent, work) };
      running.set(idOf(intent), run);
      return { isOwn: true, result: lead(intent, run) };
    },
    async find(use) {
      const underWay = running.get(idOf(use));
      if (underWay !== undefined) return join(underWay, use);
      const record = await ledger.get(use.scope, use.key, epochMs());
      return record && replay(record, use.fingerprint);
    },
  };
}

function isRecord(known: Finished | LedgerRecord): known is LedgerRecord {
  return 'fingerprint' in known;
}
