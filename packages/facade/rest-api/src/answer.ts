// How answers leave: envelopes with the status of their code, documents with their ETag. The only place that maps codes.
import {
  approvalPath,
  type Correlation,
  type ErrorCode,
  errorEnvelope,
  errorTable,
  nothingSent,
  type RetryMetadata,
  taskPath,
} from '@portico/contracts';
import type { CallKind, Outcome } from '@portico/control-plane';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

const json = { 'Content-Type': 'application/json' };

/** Answers with the envelope of an execution, under the HTTP status of its error code. */
export function sendOutcome(c: Context, kind: CallKind, outcome: Outcome): Response {
  const { envelope } = outcome;
  const status = envelope.ok ? (outcome.kind === 'task' ? 202 : 200) : statusOf(kind, envelope.error.code);
  return send(c, JSON.stringify(envelope), status, headersOf(outcome));
}

/** What waits for a person is accepted where the interface has a 202 for it, and refused for now elsewhere. */
function statusOf(kind: CallKind, code: ErrorCode): number {
  return code === 'APPROVAL_PENDING' && kind !== 'tool' ? 403 : errorTable[code].status;
}

function headersOf(outcome: Outcome): Readonly<Record<string, string>> {
  switch (outcome.kind) {
    case 'answered':
      return {};
    case 'replayed':
      return { 'X-Service-Deduplicated': 'true' };
    case 'pending':
      return { Location: approvalPath(outcome.approvalId) };
    case 'task':
      return { Location: taskPath(outcome.task.task_id) };
  }
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Where the status is not the code's own: 405, 413, 415, 401. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retry?: RetryMetadata;
}

/** Answers with an error that is no outcome of an execution. */
export function sendRefusal(c: Context, correlation: Correlation, refusal: Refusal): Response {
  const { code, message, status = errorTable[code].status, headers = {}, retry = nothingSent } = refusal;
  return send(c, JSON.stringify(errorEnvelope(correlation, retry, { code, message })), status, headers);
}

/** JSON text in UTF-8: what is sent again and again is not encoded each time. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Answers with JSON as it is. */
export function send(
  c: Context,
  body: string | Bytes,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return c.body(body, status as ContentfulStatusCode, { ...json, ...headers }); // every status here has a body
}
