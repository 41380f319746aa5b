// How a call comes to be executed. Shapes only.
import type { IdempotencyClaim } from '@portico/idempotency';

/** Asked for by its caller, or as the call of an approved ticket. */
export type Entry = { readonly kind: 'request' } | TicketEntry;

export interface TicketEntry {
  readonly kind: 'ticket';
  readonly approvalId: string;
  /** The key the call had when it was gated, with the fingerprint of its arguments then. */
  readonly claim: IdempotencyClaim | null;
  /** Called just before the upstream is contacted. @throws CallFailure when the call has been started before, or cannot be marked so */
  readonly start: () => Promise<void>;
  /** Asked at the moment of sending: why it must not be sent; undefined if it may. */
  readonly withhold: () => string | undefined;
  /** The server has answered the first round: further ones are sent without the question of `withhold`. */
  readonly answered: () => void;
}

/** The ticket whose call this is; null for none. */
export function approvalIdOf(entry: Entry): string | null {
  return entry.kind === 'ticket' ? entry.approvalId : null;
}
