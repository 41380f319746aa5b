// One call on its way to its upstream. Shapes only.
import type { IdempotencyClaim } from '@portico/idempotency';
import type { Call } from '../../call/call.js';
import type { Operation } from '../../call/operations.js';
import type { Target } from '../../call/target.js';
import type { UpstreamAnswer } from './invoke.js';

export interface UpstreamCall {
  readonly call: Call;
  readonly target: Target;
  readonly operation: Operation;
  /** Idempotency key in force; null for none. */
  readonly claim: IdempotencyClaim | null;
  /** Whether nothing has been sent under the key before. */
  readonly isFirst: boolean;
  /** Told how the call ends when it was parked and no caller resumes it; rejects with CallFailure as the call would. */
  onAbandoned(answered: Promise<UpstreamAnswer>): Promise<void>;
}
