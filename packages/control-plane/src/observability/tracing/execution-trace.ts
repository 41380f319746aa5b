// The span of one execution, under the caller's, and those of its steps below it. Made only where there is a tracer.
import { type Context, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { type Correlation, type JsonObject, traceMeta } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { Call, Outcome } from '../../call/call.js';
import type { Target } from '../../call/target.js';
import { callAttributes, outcomeAttributes, targetAttributes } from './attributes.js';
import { failSpan, markFailed, type Tracing, waitIn } from './spans.js';
import { contextOf, toSpanContext, toTraceParent } from './trace-context.js';

export type StepName = 'resolve' | 'authorize' | 'prepare' | 'distill' | 'answer';

export class ExecutionTrace {
  /** The call as part of the span: what it logs, keeps and sends names the span. */
  readonly call: Call;
  readonly #tracer: Tracer;
  readonly #redactor: Redactor;
  readonly #span: Span;
  readonly #context: Context;
  readonly #approvalId: string | null;
  /** Span of the current step. */
  #step: Span | undefined;

  /** @param approvalId the ticket whose call this is; it is linked to the call that opened the ticket */
  constructor(
    tracer: Tracer,
    { randomHex }: Pick<Tracing, 'randomHex'>,
    redactor: Redactor,
    call: Call,
    approvalId: string | null,
  ) {
    const { correlation } = call;
    const { traceId, parent } = correlation;
    const links = approvalId === null || parent === undefined ? [] : [{ context: toSpanContext(traceId, parent) }];
    const around = contextOf(correlation, randomHex);
    const options = { attributes: callAttributes(call, redactor.redactText), links };
    this.#tracer = tracer;
    this.#redactor = redactor;
    this.#approvalId = approvalId;
    this.#span = tracer.startSpan(`execute ${call.kind}`, options, around);
    this.#context = trace.setSpan(around, this.#span);
    this.call = { ...call, correlation: { ...correlation, parent: toTraceParent(this.#span.spanContext()) } };
  }

  resolved(target: Target): void {
    this.#span.setAttributes(targetAttributes(target, this.#redactor.redactText));
  }

  /** Begins a step, and ends the one before it. */
  enter(step: StepName): void {
    this.leave();
    this.#step = this.#tracer.startSpan(step, {}, this.#context);
  }

  /** Begins the step that sends a request to a server. */
  enterInvoke(server: string, method: string): void {
    this.leave();
    this.#step = beginInvoke(this.#tracer, this.#context, server, method);
  }

  /** `_meta` of what is sent in the step that runs. */
  meta(): JsonObject {
    return metaOf(this.#step ?? this.#span);
  }

  /** Ends the step that runs, if any. */
  leave(): void {
    this.#step?.end();
    this.#step = undefined;
  }

  /** Ends the step that runs, if any, as failed. */
  fail(error: unknown): void {
    if (this.#step !== undefined) failSpan(this.#step, this.#redactor, error);
    this.leave();
  }

  /** A step with others in it. */
  around<T>(step: 'dedupe' | 'approve', work: () => Promise<T>): Promise<T> {
    return waitIn(this.#tracer.startSpan(step, {}, this.#context), this.#redactor, work);
  }

  ended(outcome: Outcome): void {
    this.#span.setAttributes(outcomeAttributes(outcome, this.#approvalId));
    const { error } = outcome.envelope;
    if (error !== null && outcome.kind !== 'pending') markFailed(this.#span, error.code);
    this.#span.end();
  }
}

/** Sends a request of something that has no span of its own, such as a completion, with `_meta` that names the trace. */
export function invokeInSpan<T>(
  { tracer, randomHex }: Tracing,
  correlation: Correlation,
  redactor: Redactor,
  { server, method }: { readonly server: string; readonly method: string },
  send: (meta: JsonObject) => Promise<T>,
): Promise<T> {
  const { traceId, parent } = correlation;
  if (tracer === undefined) return send(traceMeta(traceId, randomHex(16), parent));
  const span = beginInvoke(tracer, contextOf(correlation, randomHex), server, method);
  return waitIn(span, redactor, () => send(metaOf(span)));
}

function beginInvoke(tracer: Tracer, context: Context, server: string, method: string): Span {
  const attributes = { 'portico.server_id': server, 'rpc.system': 'jsonrpc', 'rpc.method': method };
  return tracer.startSpan('invoke', { kind: SpanKind.CLIENT, attributes }, context);
}

function metaOf(span: Span): JsonObject {
  const context = span.spanContext();
  return traceMeta(context.traceId, context.spanId, toTraceParent(context));
}
