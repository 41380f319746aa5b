// How answers leave: envelopes with the status of their code, documents with their ETag. The only place that maps codes.
import {
  type Correlation,
  type Envelope,
  type ErrorCode,
  errorEnvelope,
  errorTable,
  nothingSent,
  type RetryMetadata,
} from '@portico/contracts';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

const json = { 'Content-Type': 'application/json' };

/** Answers with an envelope, under the HTTP status of its error code. */
export function sendEnvelope(c: Context, envelope: Envelope, headers: Readonly<Record<string, string>> = {}): Response {
  return send(c, JSON.stringify(envelope), envelope.ok ? 200 : errorTable[envelope.error.code].status, headers);
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

/** Answers with JSON text as it is. */
export function send(
  c: Context,
  body: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return c.body(body, status as ContentfulStatusCode, { ...json, ...headers }); // every status here has a body
}
