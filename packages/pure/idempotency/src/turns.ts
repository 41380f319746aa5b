// The turns of work under keys: reserves a key for a turn, writes the turn to the ledger, and records the state of the
// key afterwards.
import type { AbortSignalLike } from '@portico/async';
import { type Ended, type IdempotencyClaim, NotBegun, type Turn } from './gate.js';
import type { Intent, Ledger, LedgerRecord } from './ledger.js';

/** The state of a key after a turn: the result of the turn, or the record that was there before the first. */
export type Settled = Turn | LedgerRecord;

export interface Running {
  readonly status: 'running';
  readonly fingerprint: string;
  /** Null for an end that no request led to. */
  readonly turn: string | null;
  /** The ledger's answer before the work: a record, if the work must not begin. */
  readonly begun: Promise<LedgerRecord | undefined>;
  /** The work has ended, or was not begun. Its result is not written yet. */
  readonly worked: Promise<Settled>;
  readonly settled: Promise<Settled>;
  /** The end of the work, if it came after a pause. */
  ending: Promise<Ended> | undefined;
}

export interface Paused {
  readonly status: 'paused';
  readonly fingerprint: string;
}

/** The phases while a key is held, in this order. */
interface Phases<T extends Turn> {
  /** Gives a record that is there already: nothing is done then, and nothing written. */
  readonly begin?: () => Promise<LedgerRecord | undefined>;
  readonly work: () => Promise<T>;
  /** Writes the result of the work if it is an outcome. Returns whether the work is paused. */
  readonly write: (came: T) => Promise<boolean>;
}

const nothingKnown = async () => undefined;

export type MaybeFound = ReturnType<Ledger['find']>;

export type Work = (isFirst: boolean) => Promise<Turn>;

export interface Turns {
  /** Undefined for a key that nothing is done under. */
  of(claim: IdempotencyClaim): Running | Paused | undefined;
  /** The record of a key that nothing is done under. Rejects or throws NotBegun. */
  find(claim: IdempotencyClaim, nowMs: number): MaybeFound;
  /** Writes the intent, and begins the work unless there is a record. @param found what `find` has given just now */
  takeFirst(intent: Intent, work: Work, turn: string, found: Promise<LedgerRecord | undefined> | undefined): Running;
  /** Goes on with paused work. */
  takeNext(claim: IdempotencyClaim, work: Work, turn: string): Running;
  /** Ends paused work without a request. */
  end(claim: IdempotencyClaim, ending: Promise<Ended>): Running;
}

/** @param complete writes the outcome */
export function createTurns(ledger: Ledger, complete: (claim: IdempotencyClaim, ended: Ended) => Promise<void>): Turns {
  const held = new Map<string, Running | Paused>();
  const idOf = ({ scope, key }: IdempotencyClaim) => `${scope.length} ${scope}${key}`; // in a call this is asked several times, and JSON takes longer

  /** Holds the key until the last phase has ended; in one step with that, it is free or paused. */
  const hold = <T extends Turn>(claim: IdempotencyClaim, turn: string | null, phases: Phases<T>): Running => {
    const { fingerprint } = claim;
    const { begin = nothingKnown, work, write } = phases;
    const settle = (isPaused: boolean) => {
      held.delete(idOf(claim));
      if (!isPaused) return;
      if (running.ending === undefined) held.set(idOf(claim), { status: 'paused', fingerprint });
      else end(claim, running.ending).settled.catch(() => {}); // `finish` reports it
    };
    const begun = Promise.resolve().then(begin); // not before `running` is there
    const worked = begun.then(async (record): Promise<LedgerRecord | T> => record ?? work());
    const untilWritten = async (): Promise<Settled> => {
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
      settled: untilWritten(),
      ending: undefined,
    };
    held.set(idOf(claim), running);
    return running;
  };

  /** A repeat writes nothing, and is not to wait for those that do. */
  const find = ({ scope, key }: IdempotencyClaim, nowMs: number): MaybeFound => {
    try {
      return ledger.find(scope, key, nowMs);
    } catch (cause) {
      throw notBegun(cause);
    }
  };

  /** The record that is in the way of the intent, which is written where there is none. */
  const begin = async (intent: Intent, found: Promise<LedgerRecord | undefined> | undefined) => {
    try {
      return (await found) ?? (await ledger.begin(intent));
    } catch (cause) {
      throw notBegun(cause);
    }
  };

  const takeFirst: Turns['takeFirst'] = (intent, work, turn, found) =>
    hold(intent, turn, {
      begin: () => begin(intent, found),
      work: () => work(true),
      async write(came) {
        if (came.kind === 'paused') return true;
        await (came.keep ? complete(intent, came) : ledger.forget(intent.scope, intent.key));
        return false;
      },
    });

  const takeNext = (claim: IdempotencyClaim, work: Work, turn: string): Running => {
    const running: Running = hold(claim, turn, {
      work: () => running.ending ?? work(false), // it may have ended since the key was taken
      async write(came) {
        if (came.kind === 'paused' || !came.keep) return true; // what was refused leaves the work as it was
        await complete(claim, came);
        return false;
      },
    });
    return running;
  };

  const end = (claim: IdempotencyClaim, ending: Promise<Ended>) =>
    hold(claim, null, {
      work: () => ending,
      async write(came) {
        await complete(claim, came);
        return false;
      },
    });

  return { of: (claim) => held.get(idOf(claim)), find, takeFirst, takeNext, end };
}

function notBegun(cause: unknown): NotBegun {
  return new NotBegun(cause instanceof Error ? cause.message : String(cause), { cause });
}

/**
 * The result of the work. The signal ends the wait while the work is under way, but not during reads and writes of the
 * ledger.
 */
export async function untilSettled({ begun, worked, settled }: Running, signal?: AbortSignalLike): Promise<Settled> {
  if ((await begun) === undefined && signal !== undefined) await unlessAborted(worked, signal);
  return settled;
}

/** Work that has ended counts, though the signal has aborted as well. */
async function unlessAborted(work: Promise<unknown>, signal: AbortSignalLike): Promise<void> {
  let letGo = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    letGo = () => signal.removeEventListener('abort', giveUp);
  });
  await Promise.race([work, aborted]).finally(letGo);
}

export function isRecord(known: Settled | Promise<unknown>): known is LedgerRecord {
  return 'fingerprint' in known;
}
