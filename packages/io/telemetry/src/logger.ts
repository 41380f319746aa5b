// The log of a process: JSON lines on stderr, or readable lines where a person is watching. stdout stays untouched.
import { createRequire } from 'node:module';
import { isJsonObject, type JsonValue, parseJson, toPlainLines, toPlainText } from '@portico/contracts';
import { type DestinationStream, pino, stdSerializers } from 'pino';

/** Log levels, the fewest lines first. */
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

/** Whether a text is one of `logLevels`. */
export function isLogThreshold(text: string): text is LogThreshold {
  return logLevels.some((level) => level === text);
}

function stderr(): DestinationStream {
  if (!process.stderr.isTTY) return pino.destination({ dest: 2, sync: true });
  const pretty = loadPretty()({ destination: 2, sync: true, messageKey: 'message', timestampKey: 'time' });
  return { write: (line) => pretty.write(toPlainLine(line)) };
}

/** A JSON line whose texts a terminal may show: servers have written some of them. Only a stack has several lines. */
export function toPlainLine(line: string): string {
  return `${JSON.stringify(toPlain(parseJson(line), ''))}\n`;
}

function toPlain(value: JsonValue, name: string): JsonValue {
  if (typeof value === 'string') return name === 'stack' ? toPlainLines(value).join('\n') : toPlainText(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => toPlain(item, name));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toPlainText(key), toPlain(item ?? null, key)]));
}

/** Loaded only where a person is watching: it takes longer to load than the rest of the logger. */
function loadPretty(): (options: object) => DestinationStream {
  return createRequire(import.meta.url)('pino-pretty');
}
