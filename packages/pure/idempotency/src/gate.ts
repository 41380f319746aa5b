// The interface of the gate of idempotency keys. Types only.
import type { AbortSignalLike } from '@portico/async';
import type { Intent } from './ledger.js';

/** The result of one turn of the work. */
export type Turn =
  | Ended
  /** It waits for its caller: a later turn, or `finish`, brings the outcome. The response is JSON text, and not kept. */
  | { readonly kind: 'paused'; readonly response: string };

/**
 * The result of the work. An outcome with `keep: false` leaves no record: the upstream was never contacted. In a later
 * turn it leaves the work paused: the turn itself was refused.
 */
export interface Ended {
  readonly kind: 'ended';
  /** JSON text. */
  readonly response: string;
  readonly keep: boolean;
}

export type OnceResult =
  /** This request ran the work, or a turn of it. */
  | { readonly kind: 'ran'; readonly response: string }
  /** Another request with the same key was running it, and this is its response. */
  | { readonly kind: 'joined'; readonly response: string }
  /** It had been run before. */
  | { readonly kind: 'replayed'; readonly response: string }
  /** Another process runs it. */
  | { readonly kind: 'elsewhere' }
  /** The key was used for something else. */
  | { readonly kind: 'mismatch' };

/** The result of a request that does not run the work itself. */
export type Known = Exclude<OnceResult, { readonly kind: 'ran' }>;

export interface IdempotencyClaim {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** The intent could not be written, so the work never began. */
export class NotBegun extends Error {}

export interface RunOptions {
  /** The turn that the request answers: requests of one turn share its result, others wait for their own. */
  readonly turn?: string | undefined;
  /**
   * Ends the wait for work that another request here runs, with its reason, while that work is under way. It does not
   * end the wait for the ledger, so that a joined request does not miss an outcome that only has to be written.
   */
  readonly signal?: AbortSignalLike | undefined;
}

export interface RunOnce {
  /**
   * Runs the work unless the key has been used; where it is paused, its next turn. The work must not reject; its
   * argument says whether this is the first turn. Rejects with NotBegun, or with the reason of the signal, and
   * otherwise only where the outcome could not be written: the intent then stays as it is.
   */
  run(intent: Intent, work: (isFirst: boolean) => Promise<Turn>, options?: RunOptions): Promise<OnceResult>;
  /** Resolves when what runs elsewhere under a key has ended; asking again says how. Rejects with the reason of the signal. */
  untilEnded(claim: IdempotencyClaim, signal: AbortSignalLike): Promise<void>;
  /**
   * The outcome of a key that has been used, waiting for a run under way; undefined for a key that is free or paused.
   * @param signal as for `run`: ends no wait for the ledger
   */
  find(claim: IdempotencyClaim, signal?: AbortSignalLike): Promise<Known | undefined>;
  /**
   * Ends work that is paused, or about to be, without a request. From now on every request for the key gets this
   * outcome. Rejects where it could not be written.
   */
  finish(claim: IdempotencyClaim, ending: Promise<Ended>): Promise<void>;
}
