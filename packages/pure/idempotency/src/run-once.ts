// The gate that lets one execution per key through. Repeats get its outcome: from the run itself while it is under way,
// from the ledger afterwards. The intent is durable before the work begins, the outcome before it is returned. Work may
// take several turns: between them it is paused, its intent stays in flight, and no turn's answer is an outcome.
import type { IdempotencyClaim, Known, OnceResult, RunOnce } from './gate.js';
import type { Ledger, LedgerRecord } from './ledger.js';
import { createTurns, isRecord, type Running, type Settled, untilSettled } from './turns.js';

export interface RunOnceDeps {
  readonly ledger: Ledger;
  /** Milliseconds since the Unix epoch. */
  readonly epochMs: () => number;
  /** How long an outcome is kept, milliseconds; a function is asked at the end of each run. */
  readonly ttlMs: number | (() => number);
  /** Called with the error and the record if the ledger could not count a replay, which is answered nevertheless. */
  readonly onUncounted?: (error: unknown, record: LedgerRecord) => void;
}

/** Creates the gate that runs work once for each idempotency key and replays its stored response to repeats. */
export function createRunOnce({ ledger, epochMs, ttlMs, onUncounted = () => {} }: RunOnceDeps): RunOnce {
  const keptMs = typeof ttlMs === 'number' ? () => ttlMs : ttlMs;
  const turns = createTurns(ledger, (claim, { response }) => {
    const completedAtMs = epochMs();
    return ledger.complete(claim.scope, claim.key, { response, completedAtMs, expiresAtMs: completedAtMs + keptMs() });
  });

  const replay = async (record: LedgerRecord, fingerprint: string): Promise<Known> => {
    if (record.fingerprint !== fingerprint) return { kind: 'mismatch' };
    if (record.isElsewhere === true) return { kind: 'elsewhere' };
    await ledger.countReplay(record.scope, record.key).catch((error: unknown) => onUncounted(error, record)); // the answer exists nevertheless
    return { kind: 'replayed', response: record.response };
  };

  const joined = async (settled: Settled, { fingerprint }: IdempotencyClaim): Promise<Known> =>
    isRecord(settled) ? replay(settled, fingerprint) : { kind: 'joined', response: settled.response };

  const led = async (running: Running, claim: IdempotencyClaim): Promise<OnceResult> => {
    const settled = await running.settled;
    return isRecord(settled) ? joined(settled, claim) : { kind: 'ran', response: settled.response };
  };

  const run: RunOnce['run'] = async (intent, work, options = {}) => {
    const { turn = '', signal } = options;
    const known = turns.of(intent);
    if (known === undefined) {
      const found = turns.find(intent, intent.createdAtMs);
      if (found !== undefined && isRecord(found)) return replay(found, intent.fingerprint);
      return led(turns.takeFirst(intent, work, turn, found), intent);
    }
    if (known.fingerprint !== intent.fingerprint) return { kind: 'mismatch' };
    if (known.status === 'paused') return led(turns.takeNext(intent, work, turn), intent);
    const settled = await untilSettled(known, signal);
    if (known.turn === turn || isOver(settled)) return joined(settled, intent);
    signal?.throwIfAborted(); // the caller has left: no turn begins
    return run(intent, work, options);
  };

  return {
    run,
    untilEnded: ({ scope, key }, signal) => ledger.untilEnded(scope, key, signal),
    async find(claim, signal) {
      const known = turns.of(claim);
      if (known !== undefined && known.fingerprint !== claim.fingerprint) return { kind: 'mismatch' };
      if (known?.status === 'running') return joined(await untilSettled(known, signal), claim);
      if (known?.status === 'paused') return undefined;
      const record = await ledger.find(claim.scope, claim.key, epochMs());
      return record && replay(record, claim.fingerprint);
    },
    async finish(claim, ending) {
      const known = turns.of(claim);
      if (known === undefined) return;
      if (known.status === 'paused') return void (await turns.end(claim, ending).settled);
      known.ending = ending;
      await known.settled.catch(() => {}); // reported to the caller of that turn
      const next = turns.of(claim);
      if (next?.status === 'running' && next.turn === null) await next.settled;
    },
  };
}

/** Whether no turn will follow. */
function isOver(came: Settled): boolean {
  return isRecord(came) || (came.kind === 'ended' && came.keep);
}
