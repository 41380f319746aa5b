// The tables of the state database as queries see them; the migrations create them. Says nothing about one database.
import type { Generated, Selectable } from 'kysely';

export interface ExecutionsTable {
  /** Counts up in the order of insertion, and is never used twice. */
  readonly seq: Generated<number>;
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly capability_id: string;
  readonly first_trace_id: string;
  /** Milliseconds since the Unix epoch, as every column of this ending. A dialect must give them as numbers. */
  readonly created_at_ms: number;
  readonly completed_at_ms: number | null;
  /** Null until it is completed: it does not expire. */
  readonly expires_at_ms: number | null;
  readonly response: string;
  readonly replay_count: number;
}

export interface ApprovalsTable {
  readonly seq: Generated<number>;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly capability_id: string;
  readonly server_id: string;
  /** JSON text, as are `sanitized_args`, `correlation` and `decision`. */
  readonly args: string;
  readonly sanitized_args: string;
  readonly correlation: string;
  readonly principal: string;
  readonly profile: string | null;
  /** Null together with `fingerprint`. */
  readonly key: string | null;
  readonly fingerprint: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired';
  /** The status with all that belongs to it. */
  readonly decision: string;
  readonly run_state: 'none' | 'started' | 'finished';
  /** JSON text of the envelope, once the run has finished. */
  readonly result: string | null;
}

export interface Tables {
  readonly executions: ExecutionsTable;
  readonly approvals: ApprovalsTable;
}

export type ExecutionRow = Selectable<ExecutionsTable>;
export type ApprovalRow = Selectable<ApprovalsTable>;
