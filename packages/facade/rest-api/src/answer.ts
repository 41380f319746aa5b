// How answers leave: envelopes with the status of their code, documents with their ETag. The only place that maps codes.
import {
  approvalPath,
  type Correlation,
  type ErrorCode,
  errorEnvelope,
  errorTable,
  nothingSent,
  type RetryMetadata,
  securityHeaders,
  taskPath,
} from '@portico/contracts';
import type { CallKind, Outcome } from '@portico/control-plane';

const json = { 'Content-Type': 'application/json' };

type HeaderRecord = Readonly<Record<string, string>>;

/** Answers with the envelope of an execution, under the HTTP status of its error code. */
export function sendOutcome(kind: CallKind, outcome: Outcome): Promise<Response> {
  const { envelope } = outcome;
  const status = envelope.ok ? (outcome.kind === 'task' ? 202 : 200) : statusOf(kind, envelope.error.code);
  return sendValue(envelope, status, headersOf(outcome));
}

/** What waits for a person is accepted where the interface has a 202 for it, and refused for now elsewhere. */
function statusOf(kind: CallKind, code: ErrorCode): number {
  return code === 'APPROVAL_PENDING' && kind !== 'tool' ? 403 : errorTable[code].status;
}

function headersOf(outcome: Outcome): HeaderRecord {
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
  readonly headers?: HeaderRecord;
  readonly retry?: RetryMetadata;
}

/** Answers with an error that is no outcome of an execution. */
export function sendRefusal(correlation: Correlation, refusal: Refusal): Response {
  const { code, message, status = errorTable[code].status, headers = {}, retry = nothingSent } = refusal;
  return send(JSON.stringify(errorEnvelope(correlation, retry, { code, message })), status, headers);
}

/** JSON text in UTF-8: what is sent again and again is not encoded each time. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** To write it has taken some milliseconds, and to encode it will again: in between everything else has its turn. */
const largeText = 256 * 1024;

/** Answers with what may be of any size. */
export async function sendValue(value: object, status: number, headers: HeaderRecord = {}): Promise<Response> {
  const text = JSON.stringify(value);
  if (text.length < largeText) return send(text, status, headers);
  await new Promise((resolve) => setTimeout(resolve, 0));
  return send(new TextEncoder().encode(text), status, headers);
}

/** Answers with JSON as it is. */
export function send(body: string | Bytes, status: number, headers: HeaderRecord = {}): Response {
  return respond(body, status, { ...json, ...headers });
}

/**
 * Makes the answer itself, whatever it is. Its headers stay a plain record until they are written: a `Headers`, which
 * Hono would make of them, costs more than the rest of a short answer.
 */
export function respond(body: string | Bytes | ReadableStream | null, status: number, headers: HeaderRecord): Response {
  return new Response(body, { status, headers: { ...securityHeaders, ...headers } });
}
