// The normalised answer of every execution, and the builders that make one. An envelope never holds both data and error.
import * as v from 'valibot';
import { type ErrorCode, type ErrorReason, errorCodes, errorReasons, errorTable } from '../errors.js';
import type { JsonObject, JsonValue } from '../json.js';
import { notAList } from '../not-a-list.js';
import { type BudgetRefusal, budgetRefusalSchema } from './budgets.js';

const nullableString = v.optional(v.nullable(v.pipe(v.string(), v.maxLength(1024))));

/** Correlation ids of the caller's own systems. Echoed, logged and traced; never interpreted. */
export const requestContextSchema = notAList(
  v.object({
    operation_id: nullableString,
    work_item_id: nullableString,
    actor_id: nullableString,
    grant_id: nullableString,
  }),
);
export type RequestContext = v.InferOutput<typeof requestContextSchema>;

/** Whether a call may be repeated, and whether the server has run it. */
export const retryMetadataSchema = v.object({
  classification: v.picklist(['safe', 'unsafe', 'idempotent']),
  upstream_execution_state: v.picklist(['not_started', 'completed', 'unknown']),
});
/** The known effect of the attempt, so that a caller can decide whether to repeat it. */
export type RetryMetadata = Readonly<v.InferOutput<typeof retryMetadataSchema>>;

const envelopeEntries = {
  request_id: v.nullable(v.string()),
  /** W3C trace id: 32 lower-case hex characters. */
  trace_id: v.string(),
  context: v.optional(requestContextSchema),
  retry: retryMetadataSchema,
};

/** Answer of `POST /v1/tools/call`, `POST /v1/resources/read`, `POST /v1/prompts/get`. */
export const successEnvelopeSchema = v.object({
  ok: v.literal(true),
  ...envelopeEntries,
  data: v.unknown(),
  error: v.null(),
});

/** Envelope of a call that failed, with an error code. */
export const errorEnvelopeSchema = v.object({
  ok: v.literal(false),
  ...envelopeEntries,
  data: v.null(),
  error: v.object({
    code: v.picklist(errorCodes),
    message: v.string(),
    retryable: v.boolean(),
    approval_id: v.optional(v.pipe(v.string(), v.description('The ticket, on approval codes'))),
    reason: v.optional(v.pipe(v.picklist(errorReasons), v.description('Why exactly, as a word for programs'))),
    hint: v.optional(v.pipe(v.string(), v.description('The next step'))),
    retry_after_secs: v.optional(
      v.pipe(
        v.number(),
        v.description('Seconds after which the call may run again, if the caller stops until then; also `Retry-After`'),
      ),
    ),
    budget: v.optional(v.pipe(budgetRefusalSchema, v.description('The budget that is used up'))),
    rpc_error: v.optional(
      v.pipe(
        v.object({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) }),
        v.description('The JSON-RPC error that the server answered with, on UPSTREAM_ERROR'),
      ),
    ),
  }),
});

/** A span of a trace, as W3C Trace Context names it (section 3). */
export interface TraceParent {
  /** 16 lower-case hex characters. */
  readonly spanId: string;
  /** 1 where the trace is recorded, else 0. */
  readonly flags: number;
  /** A valid `tracestate` of at most 512 characters, where there is one. */
  readonly state?: string;
}

/**
 * Trace context for the upstream, under the bare keys that MCP gives it.
 * @param parent the span that it continues, whose flags and state go on
 */
export function traceMeta(traceId: string, spanId: string, parent: TraceParent | undefined): JsonObject {
  const traceparent = `00-${traceId}-${spanId}-0${parent?.flags ?? 1}`;
  return parent?.state === undefined ? { traceparent } : { traceparent, tracestate: parent.state };
}

/** The ids that tie an answer to its request. */
export interface Correlation {
  readonly requestId: string | null;
  readonly traceId: string;
  readonly context?: RequestContext;
  /** The span of `traceId` that this is part of: the caller's, or one of ours. Absent without such a span. */
  readonly parent?: TraceParent;
}

export interface EnvelopeHead {
  readonly request_id: string | null;
  readonly trace_id: string;
  readonly context?: RequestContext;
  readonly retry: RetryMetadata;
}

export interface SuccessEnvelope extends EnvelopeHead {
  readonly ok: true;
  readonly data: JsonValue;
  readonly error: null;
}

export interface ErrorEnvelope extends EnvelopeHead {
  readonly ok: false;
  readonly data: null;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly retryable: boolean;
    /** The ticket, on approval codes. */
    readonly approval_id?: string;
    /** Why exactly, as a word for programs. */
    readonly reason?: ErrorReason;
    /** The next step. */
    readonly hint?: string;
    /** Seconds after which the call may run again. */
    readonly retry_after_secs?: number;
    /** The budget that is used up. */
    readonly budget?: BudgetRefusal;
    /** The JSON-RPC error that the upstream answered with. */
    readonly rpc_error?: RpcError;
  };
}

/** JSON-RPC 2.0, section 5.1. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

export type Envelope = SuccessEnvelope | ErrorEnvelope;

/** Nothing was sent upstream, so any request may be repeated. */
export const nothingSent: RetryMetadata = Object.freeze({
  classification: 'safe',
  upstream_execution_state: 'not_started',
});

/** Nothing is known after a defect. */
export const unknownOutcome: RetryMetadata = Object.freeze({
  classification: 'unsafe',
  upstream_execution_state: 'unknown',
});

export interface ErrorDetail {
  readonly code: ErrorCode;
  readonly message: string;
  /** Where it is not what the error table says of the code. */
  readonly retryable?: boolean | undefined;
  readonly approvalId?: string | undefined;
  readonly reason?: ErrorReason | undefined;
  readonly hint?: string | undefined;
  /** After which the call may run again. */
  readonly retryAfterSecs?: number | undefined;
  readonly budget?: BudgetRefusal | undefined;
  readonly rpcError?: RpcError | undefined;
}

/** Builds the envelope of a call that succeeded. */
export function successEnvelope(
  { requestId, traceId, context }: Correlation,
  retry: RetryMetadata,
  data: JsonValue,
): SuccessEnvelope {
  // Literals, since every call makes one: what is spread into an object that has members is copied twice.
  return context === undefined
    ? { ok: true, request_id: requestId, trace_id: traceId, retry, data, error: null }
    : { ok: true, request_id: requestId, trace_id: traceId, context, retry, data, error: null };
}

/** The text around the data in the JSON of an envelope with data. */
export const beforeData = ',"data":';
/** The JSON text behind the data of such an envelope. */
export const afterData = ',"error":null}';

/**
 * The JSON text of an envelope.
 * @param dataText text of its `data` if `standsFor` holds; it is then passed on unchanged
 */
export function envelopeText(envelope: Envelope, dataText: string | undefined): string {
  if (dataText === undefined || !envelope.ok) return JSON.stringify(envelope);
  const { request_id, trace_id, context, retry } = envelope;
  const shared = context === undefined ? '' : `,"context":${JSON.stringify(context)}`;
  const { classification, upstream_execution_state: state } = retry;
  return `{"ok":true,"request_id":${JSON.stringify(request_id)},"trace_id":${JSON.stringify(trace_id)}${shared},"retry":{"classification":"${classification}","upstream_execution_state":"${state}"}${beforeData}${dataText}${afterData}`;
}

/** Builds the envelope of a call that failed; `retryable` follows `errorTable` unless the error says otherwise. */
export function errorEnvelope(correlation: Correlation, retry: RetryMetadata, error: ErrorDetail): ErrorEnvelope {
  const { code, message, approvalId, reason, hint, retryAfterSecs, budget, rpcError } = error;
  const { retryable = errorTable[code].retryable } = error;
  return {
    ok: false,
    ...head(correlation, retry),
    data: null,
    error: {
      code,
      message,
      retryable,
      ...(approvalId === undefined ? {} : { approval_id: approvalId }),
      ...(reason === undefined ? {} : { reason }),
      ...(hint === undefined ? {} : { hint }),
      ...(retryAfterSecs === undefined ? {} : { retry_after_secs: retryAfterSecs }),
      ...(budget === undefined ? {} : { budget }),
      ...(rpcError === undefined ? {} : { rpc_error: rpcError }),
    },
  };
}

function head({ requestId, traceId, context }: Correlation, retry: RetryMetadata): EnvelopeHead {
  return { request_id: requestId, trace_id: traceId, ...(context === undefined ? {} : { context }), retry };
}
