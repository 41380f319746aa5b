// From and to W3C trace context: where a span of ours begins, and what is sent on of it. Makes no spans.
import { type Context, createTraceState, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api';
import type { Correlation, TraceParent } from '@portico/contracts';

/** A span of a trace as OpenTelemetry names it. */
export function toSpanContext(traceId: string, { spanId, flags, state }: TraceParent): SpanContext {
  const context = { traceId, spanId, traceFlags: flags, isRemote: true };
  return state === undefined ? context : { ...context, traceState: createTraceState(state) };
}

/** A span of OpenTelemetry's as our answers, logs and tickets name it. */
export function toTraceParent({ spanId, traceFlags, traceState }: SpanContext): TraceParent {
  const state = traceState?.serialize();
  return { spanId, flags: traceFlags, ...(state ? { state } : {}) };
}

/** Where the children of a span begin. */
export function toContext(traceId: string, parent: TraceParent): Context {
  return trace.setSpanContext(ROOT_CONTEXT, toSpanContext(traceId, parent));
}

/** Where a span begins that is to be part of the correlation's trace. */
export function contextOf({ traceId, parent }: Correlation, randomHex: (characters: number) => string): Context {
  // A trace without any span is given the name of one: a span without a parent would begin a trace of its own.
  return toContext(traceId, parent ?? { spanId: randomHex(16), flags: 1 });
}

/** How a log line names the trace and the span that it belongs to. */
export function traceFields({ traceId, parent }: Correlation): {
  readonly trace_id: string;
  readonly span_id?: string;
} {
  return { trace_id: traceId, ...(parent === undefined ? {} : { span_id: parent.spanId }) };
}

/**
 * The span of a W3C traceparent (Trace Context, section 3.2; version 00 has no more parts); undefined when it is absent
 * or not valid.
 */
export function parseTraceParent(
  traceparent: string | undefined,
  tracestate: string | undefined,
): { readonly traceId: string; readonly parent: TraceParent } | undefined {
  if (traceparent === undefined) return undefined;
  const match = /^(?!ff|00.{54})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent);
  const [, traceId = '', spanId = '', flags = ''] = match ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  const parent: TraceParent = { spanId, flags: Number.parseInt(flags, 16) & 1 };
  const state = tracestate === undefined ? '' : createTraceState(tracestate).serialize();
  return { traceId, parent: state === '' ? parent : { ...parent, state } };
}
