// What a process says to all that share its database, when a write of it has been committed.
import type { Kysely } from 'kysely';
import type { Tables } from './tables.js';

/** What a signal is about. */
export type Topic = 'approval' | 'audit' | 'configuration' | 'errand' | 'execution' | 'feed' | 'gone' | 'sampling';

/** Told what it is about, at most 7,000 bytes; undefined where signals may have been missed. */
export type SignalListener = (subject: string | undefined) => void;

export interface Signals {
  /** Whether other processes may use the database as well. */
  readonly isShared: boolean;
  /** Is heard when the write commits, and by nobody when it does not. */
  send(trx: Kysely<Tables>, topic: Topic, subject: string): Promise<void>;
  /** Hears the others, and this process too. The returned function ends that. */
  on(topic: Topic, listener: SignalListener): () => void;
}

/** Of a database that no other process uses: nobody is there to be told. */
export const noSignals: Signals = Object.freeze({ isShared: false, send: async () => {}, on: () => () => {} });
