// The turns of work under keys: which key is held by what, what the ledger is told of it, and what it is afterwards.
import { type Ended, type KeyUse, NotBegun, type Turn } from './attempt.js';
import type { Intent, Ledger, LedgerRecord } from './ledger.js';

/** What is known of a key after a turn: what came of it, or the record that was there before the first. */
export type Settled = Turn | LedgerRecord;

export interface Running {
  readonly status: 'running';
  readonly fingerprint: string;
  /** Null for an end that no request led to. */
  readonly turn: string | null;
  readonly settled: Promise<Settled>;
  /** The work has ended meanwhile, after it was paused. */
  ending: Promise<Ended> | undefined;
}

export interface Paused {
  readonly status: 'paused';
  readonly fingerprint: string;
}

export type Work = (isFirst: boolean) => Promise<Turn>;

export interface Turns {
  /** Undefined for a key that nothing is done under. */
  of(use: KeyUse): Running | Paused | undefined;
  /** Writes the intent, and begins the work unless there is a record. */
  takeFirst(intent: Intent, work: Work, turn: string): Running;
  /** Goes on with paused work. */
  takeNext(use: KeyUse, work: Work, turn: string): Running;
  /** Ends paused work without a request. */
  end(use: KeyUse, ending: Promise<Ended>): Running;
}

/** @param complete writes the outcome */
export function createTurns(ledger: Ledger, complete: (use: KeyUse, ended: Ended) => Promise<void>): Turns {
  const held = new Map<string, Running | Paused>();
  const idOf = ({ scope, key }: KeyUse) => JSON.stringify([scope, key]);

  /** Holds the key while something is done. `settle` says at the end, in one step with it, what the key is then. */
  const hold = (use: KeyUse, turn: string | null, work: (settle: (isPaused: boolean) => void) => Promise<Settled>) => {
    const { fingerprint } = use;
    const settle = (isPaused: boolean) => {
      held.delete(idOf(use));
      if (!isPaused) return;
      if (running.ending === undefined) held.set(idOf(use), { status: 'paused', fingerprint });
      else end(use, running.ending).settled.catch(() => {}); // `finish` tells
    };
    // `work` begins in a later turn of the loop, when `running` is there.
    const settled = Promise.resolve().then(() => work(settle));
    const running: Running = { status: 'running', fingerprint, turn, settled, ending: undefined };
    held.set(idOf(use), running);
    return running;
  };

  /** The record that is in the way of the intent, which is written where there is none. */
  const begin = async (intent: Intent): Promise<LedgerRecord | undefined> => {
    try {
      // A repeat writes nothing, and is not to wait for those that do.
      return (await ledger.get(intent.scope, intent.key, intent.createdAtMs)) ?? (await ledger.begin(intent));
    } catch (cause) {
      throw new NotBegun(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  };

  const takeFirst = (intent: Intent, work: Work, turn: string) =>
    hold(intent, turn, async (settle) => {
      let isPaused = false;
      try {
        const existing = await begin(intent);
        if (existing !== undefined) return existing;
        const came = await work(true);
        isPaused = came.kind === 'paused';
        if (came.kind === 'ended') {
          await (came.keep ? complete(intent, came) : ledger.forget(intent.scope, intent.key));
        }
        return came;
      } finally {
        settle(isPaused);
      }
    });

  const takeNext = (use: KeyUse, work: Work, turn: string) =>
    hold(use, turn, async (settle) => {
      let isPaused = false;
      try {
        const came = await work(false);
        isPaused = came.kind === 'paused' || !came.keep; // what was refused leaves the work as it was
        if (came.kind === 'ended' && came.keep) await complete(use, came);
        return came;
      } finally {
        settle(isPaused);
      }
    });

  const end = (use: KeyUse, ending: Promise<Ended>) =>
    hold(use, null, async (settle) => {
      try {
        const came = await ending;
        await complete(use, came);
        return came;
      } finally {
        settle(false);
      }
    });

  return { of: (use) => held.get(idOf(use)), takeFirst, takeNext, end };
}
