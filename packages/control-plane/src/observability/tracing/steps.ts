// The spans of a call's steps. Without a tracer a step is only run, and the upstream still learns of the trace.
import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { type Correlation, PorticoError } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { UpstreamRequest } from '@portico/upstream-pool';
import { contextOf, toTraceParent, traceMeta } from './trace-context.js';

export interface Tracing {
  /**
   * Makes the spans of calls. None by default, not the process's global one: no spans are made then, at no cost, and
   * upstreams receive the caller's trace under a random span id.
   */
  readonly tracer?: Tracer | undefined;
  /** Fresh random bytes as lower-case hex: 32 characters for a trace, 16 for a span. */
  readonly randomHex: (characters: number) => string;
}

export type StepName = 'resolve' | 'authorize' | 'prepare' | 'dedupe' | 'approve' | 'distill' | 'answer';

/** Where a request goes, and what it is. */
export interface Contact {
  readonly server: string;
  readonly request: UpstreamRequest;
}

export interface Steps {
  run<T>(name: StepName, work: () => T): T;
  wait<T>(name: StepName, work: () => Promise<T>): Promise<T>;
  /** Sends a request with the trace context that names its own span, in `_meta`. */
  invoke<T>(contact: Contact, send: (request: UpstreamRequest) => Promise<T>): Promise<T>;
}

/** The steps of something that has no span of its own, such as a completion. */
export function stepsOf(on: Tracing, correlation: Correlation, redactor: Redactor): Steps {
  return on.tracer === undefined
    ? new UntracedSteps(on, correlation)
    : tracedSteps(on.tracer, contextOf(correlation, on.randomHex), redactor);
}

export class UntracedSteps implements Steps {
  readonly #on: Tracing;
  readonly #correlation: Correlation;

  constructor(on: Tracing, correlation: Correlation) {
    this.#on = on;
    this.#correlation = correlation;
  }

  run<T>(_name: StepName, work: () => T): T {
    return work();
  }

  wait<T>(_name: StepName, work: () => Promise<T>): Promise<T> {
    return work();
  }

  invoke<T>({ request }: Contact, send: (request: UpstreamRequest) => Promise<T>): Promise<T> {
    const { traceId, parent } = this.#correlation;
    const spanId = this.#on.randomHex(16);
    return send(
      withMeta(request, traceMeta(traceId, parent === undefined ? { spanId, flags: 1 } : { ...parent, spanId })),
    );
  }
}

/** @param context holds the span that the steps belong to */
export function tracedSteps(tracer: Tracer, context: Context, redactor: Redactor): Steps {
  return {
    run: (name, work) => runIn(tracer.startSpan(name, {}, context), redactor, work),
    wait: (name, work) => waitIn(tracer.startSpan(name, {}, context), redactor, work),
    invoke({ server, request }, send) {
      const attributes = { 'portico.server_id': server, 'rpc.system': 'jsonrpc', 'rpc.method': request.method };
      const span = tracer.startSpan('invoke', { kind: SpanKind.CLIENT, attributes }, context);
      const spanContext = span.spanContext();
      const meta = traceMeta(spanContext.traceId, toTraceParent(spanContext));
      return waitIn(span, redactor, () => send(withMeta(request, meta)));
    },
  };
}

export async function waitIn<T>(span: Span, redactor: Redactor, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    failSpan(span, redactor, error);
    throw error;
  } finally {
    span.end();
  }
}

function runIn<T>(span: Span, redactor: Redactor, work: () => T): T {
  try {
    return work();
  } catch (error) {
    failSpan(span, redactor, error);
    throw error;
  } finally {
    span.end();
  }
}

/** A failure is told by its code, since its message may quote arguments; a defect, by its redacted message. */
function failSpan(span: Span, { redactText }: Redactor, error: unknown): void {
  const code = error instanceof PorticoError ? error.code : undefined;
  if (code === undefined) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    span.recordException({ name, message: redactText(message) });
  }
  markFailed(span, code ?? 'INTERNAL_ERROR');
}

export function markFailed(span: Span, code: string): void {
  span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message: code });
}

function withMeta(request: UpstreamRequest, _meta: UpstreamRequest['params']): UpstreamRequest {
  const { method, params, withhold } = request;
  const traced = { method, params: { ...params, _meta } };
  return withhold === undefined ? traced : { ...traced, withhold };
}
