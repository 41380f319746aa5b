// Signals of a process to all that share its database, sent when a write has been committed.
import type { Kysely } from 'kysely';
import type { Tables } from './tables.js';

/** The subject area of a signal. */
export type Topic = 'approval' | 'audit' | 'configuration' | 'errand' | 'execution' | 'feed' | 'gone' | 'sampling';

/** Called with the subject, at most 7,000 bytes; undefined if signals may have been missed. */
export type SignalListener = (subject: string | undefined) => void;

export interface Signals {
  /** Whether other processes may use the database as well. */
  readonly isShared: boolean;
  /** Delivered when the write commits, and dropped when it does not. */
  send(trx: Kysely<Tables>, topic: Topic, subject: string): Promise<void>;
  /** Receives signals of other processes and of this one. The returned function unsubscribes. */
  on(topic: Topic, listener: SignalListener): () => void;
}

/** For a database that no other process uses: signals have no receiver. */
export const noSignals: Signals = Object.freeze({ isShared: false, send: async () => {}, on: () => () => {} });
