// The gate that lets one execution per key through. Repeats get its outcome: from the run itself while it is under way,
// from the ledger afterwards. The intent is durable before the work begins, the outcome before anybody hears of it. Work
// may take several turns: between them it is paused, its intent stays in flight, and no turn's answer is an outcome.
import type { KeyUse, Known, OnceResult, RunOnce } from './attempt.js';
import type { Ledger, LedgerRecord } from './ledger.js';
import { createTurns, isRecord, type Running, type Settled, waitFor } from './turns.js';

export interface RunOnceDeps {
  readonly ledger: Ledger;
  /** Milliseconds since the Unix epoch. */
  readonly epochMs: () => number;
  /** How long an outcome is kept, milliseconds. */
  readonly ttlMs: () => number;
  /** Told why a replay was not counted, and of what. */
  readonly onUncounted: (error: unknown, record: LedgerRecord) => void;
}

export function createRunOnce({ ledger, epochMs, ttlMs, onUncounted }: RunOnceDeps): RunOnce {
  const turns = createTurns(ledger, (use, { response }) => {
    const completedAtMs = epochMs();
    return ledger.complete(use.scope, use.key, { response, completedAtMs, expiresAtMs: completedAtMs + ttlMs() });
  });

  const replay = async (record: LedgerRecord, fingerprint: string): Promise<Known> => {
    if (record.fingerprint !== fingerprint) return { kind: 'mismatch' };
    if (record.isElsewhere === true) return { kind: 'elsewhere' };
    await ledger.countReplay(record.scope, record.key).catch((error: unknown) => onUncounted(error, record)); // the answer is there all the same
    return { kind: 'replayed', response: record.response };
  };

  const lead = async ({ settled }: Running, { fingerprint }: KeyUse): Promise<OnceResult> => {
    const known = await settled;
    return isRecord(known) ? replay(known, fingerprint) : { kind: 'ran', response: known.response };
  };

  const join = async (running: Running, { fingerprint }: KeyUse, signal?: AbortSignal): Promise<Known> => {
    const known = await waitFor(running, signal);
    return isRecord(known) ? replay(known, fingerprint) : { kind: 'joined', response: known.response };
  };

  const run: RunOnce['run'] = async (intent, work, options = {}) => {
    const { turn = '', signal } = options;
    const known = turns.of(intent);
    if (known === undefined) return lead(turns.takeFirst(intent, work, turn), intent);
    if (known.fingerprint !== intent.fingerprint) return { kind: 'mismatch' };
    if (known.status === 'paused') return lead(turns.takeNext(intent, work, turn), intent);
    const isShared = known.turn === turn || isOver(await waitFor(known, signal));
    return isShared ? join(known, intent, signal) : run(intent, work, options);
  };

  return {
    run,
    untilEnded: ({ scope, key }, signal) => ledger.untilEnded(scope, key, signal),
    async find(use, signal) {
      const known = turns.of(use);
      if (known !== undefined && known.fingerprint !== use.fingerprint) return { kind: 'mismatch' };
      if (known?.status === 'running') return join(known, use, signal);
      if (known?.status === 'paused') return undefined;
      const record = await ledger.get(use.scope, use.key, epochMs());
      return record && replay(record, use.fingerprint);
    },
    async finish(use, ending) {
      const known = turns.of(use);
      if (known === undefined) return;
      if (known.status === 'paused') return void (await turns.end(use, ending).settled);
      known.ending = ending;
      await known.settled.catch(() => {}); // told to whoever asked
      const next = turns.of(use);
      if (next?.status === 'running' && next.turn === null) await next.settled;
    },
  };
}

/** Whether no turn will follow. */
function isOver(came: Settled): boolean {
  return isRecord(came) || (came.kind === 'ended' && came.keep);
}
