// The port to the durable ledger of executions: their intents and their outcomes.
import type { AbortSignalLike } from '@portico/async';
import type { RequestKind } from './keys.js';

/** Written before the upstream is contacted. */
export interface Intent {
  /** The owner of the key; keys of different principals never meet. */
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly kind: RequestKind;
  /** Canonical. */
  readonly capabilityId: string;
  readonly firstTraceId: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** JSON text of the answer that stands when no outcome is ever written: the service ended, or could not write it. */
  readonly unknownResponse: string;
}

export interface LedgerRecord extends Omit<Intent, 'unknownResponse'> {
  /** Null while it runs. */
  readonly completedAtMs: number | null;
  /** JSON text of the stored answer; of `unknownResponse` while it runs. */
  readonly response: string;
  readonly replayCount: number;
  /** Another process that lives runs it. `list` does not say. */
  readonly isElsewhere?: true;
}

/** An execution whose end was not recorded. */
export type Interrupted = Pick<LedgerRecord, 'key' | 'kind' | 'capabilityId' | 'firstTraceId'>;

export interface RecordedOutcome {
  /** JSON text. */
  readonly response: string;
  readonly completedAtMs: number;
  /** The record is deleted then. A record that has not been completed does not expire. */
  readonly expiresAtMs: number;
}

export interface RecordPage {
  readonly limit: number;
  readonly offset: number;
}

/** Records under the keys of one scope that expire at about the same time. */
export interface RecordSizes {
  readonly scope: string;
  readonly records: number;
  /** Size of all answers together, in UTF-8. */
  readonly bytes: number;
  /** The last of them. */
  readonly expiresAtMs: number;
}

/** Everything is durable when its promise resolves. Expired records are never given back. */
export interface Ledger {
  /** Writes the intent where the key has no record, in one step; else gives the record that is there. */
  begin(intent: Intent): Promise<LedgerRecord | undefined>;
  /** Rejects where it is not open any more: another process has taken it for cut off. */
  complete(scope: string, key: string, outcome: RecordedOutcome): Promise<void>;
  /** Removes an intent without effect: the upstream was never contacted. A closed intent stays. */
  forget(scope: string, key: string): Promise<void>;
  countReplay(scope: string, key: string): Promise<void>;
  /** As `get`, to answer a request: synchronously where the ledger can. */
  find(scope: string, key: string, nowMs: number): LedgerRecord | undefined | Promise<LedgerRecord | undefined>;
  get(scope: string, key: string, nowMs: number): Promise<LedgerRecord | undefined>;
  /** Newest first. */
  list(scope: string, page: RecordPage, nowMs: number): Promise<readonly LedgerRecord[]>;
  /** Resolves when what runs elsewhere has ended, or its process has. Rejects with the reason of the signal. */
  untilEnded(scope: string, key: string, signal: AbortSignalLike): Promise<void>;
  /**
   * Completes records that ended processes left open, and those that this one could not complete: `unknownResponse` is
   * the answer. Returns them.
   */
  closeInterrupted(completedAtMs: number, expiresAtMs: number): Promise<readonly Interrupted[]>;
  /** How much is kept that was completed and has not expired, without reading the answers. */
  sizes(nowMs: number): Promise<readonly RecordSizes[]>;
  /** Removes expired records and gives their number. */
  purge(nowMs: number): Promise<number>;
}

/** Why an execution cannot be completed. */
export const notOpen = 'the execution was taken for cut off before its outcome was written';
