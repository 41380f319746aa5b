// The one table of error codes: HTTP status and whether a repeat may help. A code without a row does not compile.

export type ErrorCode =
  | 'TOOL_NOT_FOUND'
  | 'RESOURCE_NOT_FOUND'
  | 'PROMPT_NOT_FOUND'
  | 'INVALID_ARGS'
  | 'POLICY_DENIED'
  | 'APPROVAL_PENDING'
  | 'APPROVAL_TIMEOUT'
  | 'APPROVAL_REJECTED'
  | 'CIRCUIT_OPEN'
  | 'SERVER_UNREACHABLE'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_ERROR'
  | 'OPERATION_CANCELLED'
  | 'INTERNAL_ERROR';

export interface ErrorRule {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Whether the same request may succeed later without a change. */
  readonly retryable: boolean;
}

/** For each error code its HTTP status, and whether the same request may succeed later. */
export const errorTable: Readonly<Record<ErrorCode, ErrorRule>> = Object.freeze({
  TOOL_NOT_FOUND: { status: 404, retryable: false },
  RESOURCE_NOT_FOUND: { status: 404, retryable: false },
  PROMPT_NOT_FOUND: { status: 404, retryable: false },
  INVALID_ARGS: { status: 400, retryable: false },
  POLICY_DENIED: { status: 403, retryable: false },
  APPROVAL_PENDING: { status: 202, retryable: false },
  APPROVAL_TIMEOUT: { status: 408, retryable: true },
  APPROVAL_REJECTED: { status: 403, retryable: false },
  CIRCUIT_OPEN: { status: 503, retryable: false },
  SERVER_UNREACHABLE: { status: 502, retryable: true },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true },
  UPSTREAM_ERROR: { status: 502, retryable: false },
  OPERATION_CANCELLED: { status: 499, retryable: false },
  INTERNAL_ERROR: { status: 500, retryable: true },
});

/** All error codes of the envelope, in the order of `errorTable`. */
export const errorCodes = Object.freeze(Object.keys(errorTable)) as readonly ErrorCode[];

/** A failure with a code, raised where it is known and mapped to a transport once, at the edge. */
export class PorticoError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'PorticoError';
    this.code = code;
  }
}

/** Why exactly a call was refused, beside the code: the whole list. A code may come without one. */
export const errorReasons = [
  'definition_changed',
  'definition_unapproved',
  'argument_rule',
  'budget_exhausted',
  'loop',
  'tainted',
  'confined',
  'replay_miss',
] as const;
export type ErrorReason = (typeof errorReasons)[number];
