// Where the checkpoints of a log are kept: beside its file, or in a table of its database. A checkpoint is valid only
// by its signature; no store is trusted.
import type { SignedCheckpoint } from '@portico/audit-chain';

export interface CheckpointStore {
  /** How lines of the service's log name it. */
  readonly named: Readonly<Record<string, string>>;
  /** Takes away what a crash has left of a write, and gives the last checkpoint. */
  mend(): Promise<SignedCheckpoint | undefined>;
  /** Durable when it resolves. */
  append(checkpoint: SignedCheckpoint): Promise<void>;
}
