// The log of a process: JSON lines on stderr, or readable lines where a person is watching. stdout stays untouched.
import { createRequire } from 'node:module';
import { type DestinationStream, pino, stdSerializers } from 'pino';

export const logLevels = ['error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogThreshold = (typeof logLevels)[number];

export type WriteLog = (
  level: 'error' | 'warn' | 'info' | 'debug',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface LogDestination {
  /** @param line one JSON object and its line break */
  write(line: string): void;
}

export interface LoggerOptions {
  readonly level: LogThreshold;
  /** stderr by default: JSON lines, or readable lines on a terminal. */
  readonly destination?: LogDestination | undefined;
}

/** Writes synchronously, so that the last lines before an exit are not lost. */
export function createLogger({ level, destination = stderr() }: LoggerOptions): WriteLog {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.err },
    },
    destination,
  );
  return (lineLevel, message, fields = {}) => logger[lineLevel](fields, message);
}

export function isLogThreshold(text: string): text is LogThreshold {
  return logLevels.some((level) => level === text);
}

function stderr(): DestinationStream {
  return process.stderr.isTTY
    ? loadPretty()({ destination: 2, sync: true, messageKey: 'message', timestampKey: 'time' })
    : pino.destination({ dest: 2, sync: true });
}

/** Loaded only where a person is watching: it takes longer to load than the rest of the logger. */
function loadPretty(): (options: object) => DestinationStream {
  return createRequire(import.meta.url)('pino-pretty');
}
