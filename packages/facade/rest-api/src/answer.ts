// How answers leave: envelopes with the status of their code, documents with their ETag. The only place that maps codes.
import type { Steps } from '@portico/async';
import {
  approvalPath,
  type BatchCallResponse,
  type Correlation,
  type ErrorCode,
  type ErrorEnvelope,
  type ErrorReason,
  envelopeText,
  errorEnvelope,
  errorTable,
  exactJson,
  exactNumbers,
  hasStringOver,
  nothingSent,
  type RetryMetadata,
  securityHeaders,
  taskPath,
} from '@portico/contracts';
import type { BudgetsLeft, CallKind, Outcome } from '@portico/control-plane';
import { budgetHeader } from './answer-heads.js';
import type { Answer, Bytes, HeaderRecord } from './exchange.js';
import { envelopeBytes, longLength, toJsonBytes } from './large-json.js';

const jsonHeaders: HeaderRecord = Object.freeze({ ...securityHeaders, 'Content-Type': 'application/json' });
const none: HeaderRecord = Object.freeze({});
const replayHeaders: HeaderRecord = Object.freeze({ 'X-Service-Deduplicated': 'true' });
/** One record for all replays, so that their head is made once. */
const replayJsonHeaders: HeaderRecord = Object.freeze({ ...jsonHeaders, ...replayHeaders });

/** Answers with the envelope of an execution, under the HTTP status of its error code. */
export function answerOutcome(kind: CallKind, outcome: Outcome): Answer | Promise<Answer> {
  const { envelope, dataText } = outcome;
  const status = envelope.ok ? (outcome.kind === 'task' ? 202 : 200) : statusOf(kind, envelope.error.code);
  const plain = outcome.kind === 'answered' ? (envelope.ok ? none : retryHeaders(envelope)) : headersOf(outcome);
  const isCounted = outcome.kind === 'answered' && outcome.budgetsLeft !== undefined;
  const budgets = isCounted ? budgetsText(outcome.budgetsLeft()) : undefined;
  if (budgets !== undefined && plain === none && dataText !== undefined && dataText.length <= longLength)
    return { status, headers: jsonHeaders, body: envelopeText(envelope, dataText), budgets };
  const headers = budgets === undefined ? plain : { ...plain, [budgetHeader]: budgets };
  if (dataText === undefined) return answerValue(envelope, status, headers);
  if (dataText.length > longLength) return answerInTurns(envelopeBytes(envelope, dataText), status, headers);
  const text = envelopeText(envelope, dataText);
  return headers === none ? { status, headers: jsonHeaders, body: text } : answerJson(text, status, headers);
}

/** Answers with a batch. It is a replay where each of its steps is one. */
export function answerBatch(batch: BatchCallResponse): Answer | Promise<Answer> {
  const { results } = batch;
  const isReplay = results.length > 0 && results.every(({ deduplicated }) => deduplicated === true);
  return answerValue(batch, 200, isReplay ? replayHeaders : none);
}

/** A call that waits for a person is accepted where the interface has a 202 for it, and refused for now elsewhere. */
function statusOf(kind: CallKind, code: ErrorCode): number {
  return code === 'APPROVAL_PENDING' && kind !== 'tool' ? 403 : errorTable[code].status;
}

/** A list of strings with parameters (RFC 9651, section 3.1): `"night-agent";calls=12;result_tokens=48796`. */
function budgetsText(left: ReturnType<BudgetsLeft>): string {
  let text = '';
  for (const [id, amounts] of left) {
    text += text === '' ? `"${id}"` : `, "${id}"`; // ids of budgets have no quotation marks
    for (const [measure, amount] of Object.entries(amounts)) text += `;${measure}=${decimalOf(amount)}`;
  }
  return text;
}

/** With three digits behind the point at most (RFC 9651, section 3.3.2), rounded down. */
function decimalOf(amount: number): string {
  const whole = Math.floor(amount);
  const thousandths = Math.floor((amount - whole) * 1000); // whole numbers are written several times as fast as others
  if (thousandths === 0) return String(whole);
  return `${whole}.${String(thousandths).padStart(3, '0').replace(/0+$/, '')}`;
}

/** RFC 9110, section 10.2.3. */
function retryHeaders({ error }: ErrorEnvelope): HeaderRecord {
  const { retry_after_secs: seconds } = error;
  return seconds === undefined ? none : { 'Retry-After': String(seconds) };
}

function headersOf(outcome: Exclude<Outcome, { readonly kind: 'answered' }>): HeaderRecord {
  switch (outcome.kind) {
    case 'replayed':
      return replayHeaders;
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
  /** The ticket, on approval codes. */
  readonly approvalId?: string;
  /** Why exactly, as a word for programs, and what to do next. */
  readonly reason?: ErrorReason | undefined;
  readonly hint?: string | undefined;
}

/** Answers with an error that is no outcome of an execution. */
export function answerRefusal(correlation: Correlation, refusal: Refusal): Answer {
  const { code, message, approvalId, reason, hint } = refusal; // an Error's message is not among what spreads
  const { status = errorTable[code].status, headers = none, retry = nothingSent } = refusal;
  const error = { code, message, approvalId, reason, hint };
  return answerJson(JSON.stringify(errorEnvelope(correlation, retry, error)), status, headers);
}

/** Writing a text at once has taken some milliseconds, and encoding it takes more. */
const largeText = 256 * 1024;

/** Answers with what may be of any size. A large answer leaves the event loop to others between its parts. */
export function answerValue(value: object, status: number, headers: HeaderRecord = none): Answer | Promise<Answer> {
  if (hasStringOver(value, longLength) && !(exactNumbers in value))
    return answerInTurns(toJsonBytes(value), status, headers);
  const text = exactJson(value);
  if (text.length >= largeText) return answerLarge(text, status, headers);
  return headers === none ? { status, headers: jsonHeaders, body: text } : answerJson(text, status, headers);
}

async function answerLarge(text: string, status: number, headers: HeaderRecord): Promise<Answer> {
  await nextPass();
  return answerJson(new TextEncoder().encode(text), status, headers);
}

/** Time slice of writing before the event loop runs other work. */
const shareMs = 2;

async function answerInTurns(chunks: Steps<Bytes>, status: number, headers: HeaderRecord): Promise<Answer> {
  for (;;) {
    const endsAtMs = performance.now() + shareMs;
    do {
      const { done, value: bytes } = chunks.next();
      if (done !== true) continue;
      await nextPass(); // to send them takes a while as well
      return answerJson(bytes, status, headers);
    } while (performance.now() < endsAtMs);
    await nextPass();
  }
}

/** Behind the timers and the input that are due: one immediate alone may still run in the same pass of the loop. */
function nextPass(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Answers with JSON as it is. */
export function answerJson(body: string | Bytes, status: number, headers: HeaderRecord = none): Answer {
  return { status, headers: withJsonHeaders(headers), body };
}

/** As `answerJson`, for an answer that is sent many times: its head is made once. */
export function answerShared(body: string | Bytes, status: number, headers: HeaderRecord): Answer {
  return { status, headers: Object.freeze({ ...jsonHeaders, ...headers }), body };
}

function withJsonHeaders(headers: HeaderRecord): HeaderRecord {
  if (headers === none) return jsonHeaders;
  return headers === replayHeaders ? replayJsonHeaders : { ...jsonHeaders, ...headers };
}

/** Answers with no body, and so without its type. It may be sent any number of times. */
export function answerEmpty(status: number, headers: HeaderRecord): Answer {
  return { status, headers: Object.freeze({ ...securityHeaders, ...headers }), body: null };
}

/** As `answerJson`, for a route that only Hono serves. */
export function send(body: string | Bytes, status: number, headers?: HeaderRecord): Response {
  return toResponse(answerJson(body, status, headers));
}

/** Answers with what is no JSON, or a stream, on a route that only Hono serves. */
export function respond(body: string | Bytes | ReadableStream | null, status: number, headers: HeaderRecord): Response {
  return new Response(body, { status, headers: { ...securityHeaders, ...headers } });
}

/**
 * Its headers stay a plain record until they are written: a `Headers`, which Hono would make of them, costs more than
 * the rest of a short answer.
 */
export function toResponse({ status, headers, body, budgets }: Answer): Response {
  const all = budgets === undefined ? headers : { ...headers, [budgetHeader]: budgets };
  return new Response(body, { status, headers: all });
}
