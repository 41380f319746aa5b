// Spans for OpenTelemetry collectors. Nothing of OpenTelemetry's SDK is loaded before somebody asks for it here.
import type { OpenTracing, TracingOptions } from './otlp-tracing.js';

/** Opens the export of spans to an OpenTelemetry collector (OTLP over gRPC). */
export async function openTracing(options: TracingOptions): Promise<OpenTracing> {
  const { openOtlpTracing } = await import('./otlp-tracing.js');
  return openOtlpTracing(options);
}
