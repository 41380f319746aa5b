// One connection of the relay to a service, whichever process that runs in.
import type { Readable, Writable } from 'node:stream';

export interface Link {
  readonly input: Readable;
  readonly output: Writable;
  close(): Promise<void>;
  /** Longest time that a first list waits there, milliseconds; 0 where it does not say. */
  readonly firstListWaitMs?: number;
  /** The announced end of a service that may end before its client does. */
  readonly leaving?: Leaving;
}

export interface Leaving {
  /** Resolves when it is asked to end, and may never. */
  readonly asked: Promise<void>;
  /** Answers what runs, then ends; `input` ends when everything has been answered. */
  finish(): Promise<void>;
}
