// Spans for OpenTelemetry collectors. Loads OpenTelemetry's SDK on first use.
import type { OpenTracing, TracingOptions } from './otlp-tracing.js';

/** Opens the export of spans to an OpenTelemetry collector (OTLP over gRPC). */
export async function openTracing(options: TracingOptions): Promise<OpenTracing> {
  const { openOtlpTracing } = await import('./otlp-tracing.js');
  return openOtlpTracing(options);
}
