// The last lines a server wrote, for people who ask why it does not work.
import type { ServerLogLine } from '@portico/contracts';

const maxLines = 500;

export interface LogBuffer {
  append(...texts: readonly string[]): void;
  lines(): readonly ServerLogLine[];
}

/** @param epochMs milliseconds since the Unix epoch */
export function createLogBuffer(epochMs: () => number): LogBuffer {
  const lines: ServerLogLine[] = [];
  return {
    append(...texts) {
      for (const text of texts) lines.push({ timestamp: new Date(epochMs()).toISOString(), text });
      lines.splice(0, lines.length - maxLines);
    },
    lines: () => [...lines],
  };
}
