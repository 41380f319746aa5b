// One connection of the relay to a service, whichever process that runs in.
import type { Readable, Writable } from 'node:stream';

export interface Link {
  readonly input: Readable;
  readonly output: Writable;
  close(): Promise<void>;
}
