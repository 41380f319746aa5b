// The bodies of the interface as a client of the fault run sees them, written down apart from the product's own types.

export interface Envelope {
  readonly ok: boolean;
  readonly retry: { readonly classification: string; readonly upstream_execution_state: string };
  readonly data?: { readonly structuredContent?: { readonly key?: string } };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly approval_id?: string;
  };
}

export interface StoredRecord {
  readonly record?: { readonly response: Envelope };
}

export interface Ticket {
  readonly approval?: { readonly status: { readonly status: string }; readonly result?: Envelope };
}

export interface Approved extends Ticket {
  readonly result?: Envelope | null;
}

/** The meaning of an answer to a call with a key. */
export type Meaning =
  /** The upstream's result. */
  | 'result'
  /** It may have run, and will not be run again. */
  | 'unknown'
  /** A person has to decide. */
  | 'pending'
  /** Refused before the upstream was contacted. */
  | 'not started'
  | 'something else';

export function meaningOf(envelope: Envelope | undefined, key: string): Meaning {
  if (envelope?.ok === true) return envelope.data?.structuredContent?.key === key ? 'result' : 'something else';
  const { code, retryable } = envelope?.error ?? {};
  const state = envelope?.retry?.upstream_execution_state;
  if (code === 'APPROVAL_PENDING') return 'pending';
  if (code === 'INTERNAL_ERROR' && state === 'unknown' && retryable === false) return 'unknown';
  return state === 'not_started' ? 'not started' : 'something else';
}
