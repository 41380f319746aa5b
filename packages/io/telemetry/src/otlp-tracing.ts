// Collects spans and exports them over OTLP gRPC in the background. Spans that cannot be exported in time are lost.
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { watchExports } from './export-watch.js';
import type { WriteLog } from './logger.js';
import type { TracingSettings } from './tracing-settings.js';

export interface TracingOptions extends TracingSettings {
  /** Product version, sent with every span. */
  readonly version: string;
  readonly log: WriteLog;
}

export interface OpenTracing {
  readonly tracer: Tracer;
  /** Exports what is left, for a moment only: an unreachable collector delays nothing. Never rejects. */
  close(): Promise<void>;
}

const batching = {
  scheduledDelayMillis: 1000,
  maxQueueSize: 8192,
  maxExportBatchSize: 512,
  exportTimeoutMillis: 10_000,
};
const exportTimeoutMs = 5000;
const maxAttributeLength = 2048;

/** How long the last spans may take at the end, where the collector took those before and where it did not. */
const flushMs = 1000;
const hopelessFlushMs = 100;

export function openOtlpTracing({ endpoint, serviceName, version, log }: TracingOptions): OpenTracing {
  const watched = watchExports(
    new OTLPTraceExporter({ url: endpoint, timeoutMillis: exportTimeoutMs }),
    (lost, reason) => log('warn', 'spans could not be exported and are lost', { endpoint, lost, reason }),
    () => performance.now(),
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter: watched.exporter, ...batching })],
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
  });
  log('info', 'spans are exported', { endpoint, service: serviceName });
  return {
    tracer: provider.getTracer('portico', version),
    async close() {
      const flushed = provider.shutdown().catch(() => {}); // the watch has logged why
      await Promise.race([flushed, delay(watched.isFailing() ? hopelessFlushMs : flushMs)]);
    },
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
