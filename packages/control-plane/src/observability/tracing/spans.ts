// Starts and ends spans. Without a tracer there are none, and upstreams still receive the trace.
import { type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { PorticoError } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';

export interface Tracing {
  /**
   * Makes the spans of calls. None by default, not the process's global one: no spans are made then, at no cost, and
   * upstreams receive the caller's trace under a random span id.
   */
  readonly tracer?: Tracer | undefined;
  /** Fresh random bytes as lower-case hex: 32 characters for a trace, 16 for a span. */
  readonly randomHex: (characters: number) => string;
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

/** A failure is noted by its code, since its message may quote arguments; a defect, by its redacted message. */
export function failSpan(span: Span, { redactText }: Redactor, error: unknown): void {
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
