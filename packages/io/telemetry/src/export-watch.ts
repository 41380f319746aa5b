// Watches for failed exports. Reports them once a minute at most, so that an unreachable collector does not fill the
// log.
import type { SpanExporter } from '@opentelemetry/sdk-trace';

export interface WatchedExporter {
  readonly exporter: SpanExporter;
  /** Whether the last export failed. */
  isFailing(): boolean;
}

const quietMs = 60_000;

/**
 * @param report called with the number of spans lost since its last call
 * @param now monotonic milliseconds
 */
export function watchExports(
  exporter: SpanExporter,
  report: (lost: number, reason: string) => void,
  now: () => number,
): WatchedExporter {
  let isFailing = false;
  let lost = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const fail = (count: number, reason: string) => {
    lost += count;
    if (now() - reportedAt < quietMs) return;
    reportedAt = now();
    report(lost, reason);
    lost = 0;
  };
  return {
    exporter: {
      export(spans, done) {
        exporter.export(spans, (result) => {
          isFailing = result.code !== 0; // ExportResultCode.SUCCESS
          if (isFailing) fail(spans.length, result.error?.message ?? 'the export failed');
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      ...(exporter.forceFlush === undefined ? {} : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
    },
    isFailing: () => isFailing,
  };
}
