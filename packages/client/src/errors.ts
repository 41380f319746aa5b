// Errors of requests. Branch on the class and the code, never on the text.
import type { ErrorCode, ErrorEnvelope } from '@portico/contracts';

/** The service refused, or what it ran failed: an ErrorEnvelope came back. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly envelope: ErrorEnvelope;

  constructor(status: number, envelope: ErrorEnvelope) {
    super(envelope.error.message);
    this.status = status;
    this.envelope = envelope;
  }

  get code(): ErrorCode {
    return this.envelope.error.code;
  }

  /** The ticket that a person decides on, on approval codes. */
  get approvalId(): string | undefined {
    return this.envelope.error.approval_id;
  }
}

/** Nothing answers at the address, or the connection broke before an answer came. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${reasonOf(cause)}`, { cause });
    this.url = url;
  }
}

/** Something answers at the address, but not as Portico does: another program, or a proxy before it. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} answered ${status} without a JSON document of Portico; is this the address of a Portico daemon?`);
    this.status = status;
  }
}

/** Node says why a connection failed in the cause of its TypeError only. */
function reasonOf(error: unknown): string {
  const deepest = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(deepest instanceof Error)) return String(deepest);
  const code = 'code' in deepest ? String(deepest.code) : '';
  return deepest.message === '' ? code : deepest.message;
}
