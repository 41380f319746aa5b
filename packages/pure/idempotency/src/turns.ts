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
  /** What the ledger said before the work: a record, where it is not to begin. */
  readonly begun: Promise<LedgerRecord | undefined>;
  /** The work has ended, or was not begun. What came of it is not written yet. */
  readonly worked: Promise<unknown>;
  readonly settled: Promise<Settled>;
  /** The work has ended meanwhile, after it was paused. */
  ending: Promise<Ended> | undefined;
}

export interface Paused {
  readonly status: 'paused';
  readonly fingerprint: string;
}

/** What is done while a key is held, in this order. */
interface Phases<T extends Turn> {
  /** The record that is in the way of the work, which is then left out with what follows. */
  readonly begin?: () => Promise<LedgerRecord | undefined>;
  readonly work: () => Promise<T>;
  /** Whether the work goes on in a later turn. */
  readonly write: (came: T) => Promise<boolean>;
}

const nothingKnown = async () => undefined;

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

  /** Holds the key until the last phase has ended, and says in one step with that what the key is then. */
  const hold = <T extends Turn>(use: KeyUse, turn: string | null, phases: Phases<T>): Running => {
    const { fingerprint } = use;
    const { begin = nothingKnown, work, write } = phases;
    const settle = (isPaused: boolean) => {
      held.delete(idOf(use));
      if (!isPaused) return;
      if (running.ending === undefined) held.set(idOf(use), { status: 'paused', fingerprint });
      else end(use, running.ending).settled.catch(() => {}); // `finish` tells
    };
    const begun = Promise.resolve().then(begin); // in a later turn of the loop, when `running` is there
    const worked = begun.then(async (record): Promise<LedgerRecord | T> => record ?? work());
    const finish = async (): Promise<Settled> => {
      let isPaused = false;
      try {
        const known = await worked;
        if (!isRecord(known)) isPaused = await write(known);
        return known;
      } finally {
        settle(isPaused);
      }
    };
    const running: Running = {
      status: 'running',
      fingerprint,
      turn,
      begun,
      worked,
      settled: finish(),
      ending: undefined,
    };
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
    hold(intent, turn, {
      begin: () => begin(intent),
      work: () => work(true),
      async write(came) {
        if (came.kind === 'paused') return true;
        await (came.keep ? complete(intent, came) : ledger.forget(intent.scope, intent.key));
        return false;
      },
    });

  const takeNext = (use: KeyUse, work: Work, turn: string) =>
    hold(use, turn, {
      work: () => work(false),
      async write(came) {
        if (came.kind === 'paused' || !came.keep) return true; // what was refused leaves the work as it was
        await complete(use, came);
        return false;
      },
    });

  const end = (use: KeyUse, ending: Promise<Ended>) =>
    hold(use, null, {
      work: () => ending,
      async write(came) {
        await complete(use, came);
        return false;
      },
    });

  return { of: (use) => held.get(idOf(use)), takeFirst, takeNext, end };
}

/** What came of it. The signal ends the wait while the work is under way, and not while the ledger is asked or told. */
export async function waitFor({ begun, worked, settled }: Running, signal?: AbortSignal): Promise<Settled> {
  const record = await begun;
  if (record === undefined && signal !== undefined) await Promise.race([worked, abortOf(signal)]);
  return settled;
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

export function isRecord(known: Settled): known is LedgerRecord {
  return 'fingerprint' in known;
}
