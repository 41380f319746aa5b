// Observability of a Portico process: logs, metrics and spans.
export {
  createLogger,
  isLogThreshold,
  type LogDestination,
  type LoggerOptions,
  type LogThreshold,
  logLevels,
  type WriteLog,
} from './logger.js';
export { createMetrics, type Metrics } from './metrics.js';
export type { OpenTracing, TracingOptions } from './otlp-tracing.js';
export type { MetricsText } from './prometheus-metrics.js';
export { openTracing } from './tracing.js';
export { EnvironmentError, readTracingSettings, type TracingSettings } from './tracing-settings.js';
