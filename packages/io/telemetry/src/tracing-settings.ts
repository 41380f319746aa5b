// Reads the settings of trace export from the environment. Reads nothing else, and opens nothing.

/** An environment variable of Portico's has a value that cannot be used. */
export class EnvironmentError extends Error {
  constructor(variable: string, expected: string) {
    super(`environment variable ${variable}: expected ${expected}`);
    this.name = 'EnvironmentError';
  }
}

export interface TracingSettings {
  /** Address of an OTLP receiver that speaks gRPC. */
  readonly endpoint: string;
  readonly serviceName: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const switches: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
const defaultEndpoint = 'http://127.0.0.1:4317';
const endpointVariables = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'SERVICE_OTEL_ENDPOINT'] as const;

/** Null if tracing is off, which is the default; a variable that is empty counts as not set. @throws EnvironmentError */
export function readTracingSettings(env: Environment): TracingSettings | null {
  const isOn = switches[(env.SERVICE_OTEL_ENABLED || 'false').toLowerCase()];
  if (isOn === undefined) throw new EnvironmentError('SERVICE_OTEL_ENABLED', 'true, 1, false or 0');
  return isOn ? { endpoint: endpointOf(env), serviceName: env.SERVICE_SERVICE_NAME || 'portico' } : null;
}

/** The value is not repeated in the message: it may hold credentials. */
function endpointOf(env: Environment): string {
  const variable = endpointVariables.find((name) => env[name]);
  if (variable === undefined) return defaultEndpoint;
  const endpoint = (env[variable] ?? '').trim();
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isUsable = url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.hostname !== '';
  if (!isUsable) throw new EnvironmentError(variable, `an http or https URL such as ${defaultEndpoint}`);
  return url.origin;
}
