// One execution from its beginning to its end: what its steps share. Shapes only.
import type { JsonObject } from '@portico/contracts';
import type { IdempotencyClaim } from '@portico/idempotency';
import type { Call } from '../../call/call.js';
import type { Operation } from '../../call/operations.js';
import type { ObservedCall } from '../../observability/observe-call.js';
import type { Steps } from '../../observability/tracing/steps.js';
import type { PlaneState } from '../../state/plane-state.js';

/** How a call comes to be executed: asked for by its caller, or as the call of an approved ticket. */
export type Entry = { readonly kind: 'request' } | TicketEntry;

export interface TicketEntry {
  readonly kind: 'ticket';
  readonly approvalId: string;
  /** The key the call had when it was gated, with the fingerprint of its arguments then. */
  readonly claim: IdempotencyClaim | null;
  /** Called just before the upstream is contacted. @throws CallFailure when the call has been started before, or cannot be marked so */
  readonly start: () => Promise<void>;
  /** Asked at the moment of sending: why it must not be sent; undefined where it may. */
  readonly withhold: () => string | undefined;
}

export interface Run {
  /** The snapshot that it runs on. */
  readonly state: PlaneState;
  readonly call: Call;
  readonly entry: Entry;
  readonly steps: Steps;
  readonly operation: Operation;
  /** The idempotency key in force; null for none. */
  readonly key: string | null;
  /** Under which the waiting call was begun whose next turn this is. */
  readonly continued: IdempotencyClaim | undefined;
  /** Hears what the id of the call stands for. */
  readonly observed: Pick<ObservedCall, 'resolved'>;
  /** Those that the record of its outcome shows: what was sent, where that may be other than what was asked for. */
  args: JsonObject;
  /** Whether its record has been written already. */
  isAudited: boolean;
}

/** The ticket whose call this is; null for none. */
export function approvalIdOf(entry: Entry): string | null {
  return entry.kind === 'ticket' ? entry.approvalId : null;
}
