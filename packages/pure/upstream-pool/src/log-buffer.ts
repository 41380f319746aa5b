// The last lines a server wrote, for people who ask why it does not work.
import type { ServerLogLine } from '@portico/contracts';

const maxLines = 500;

export interface LogBuffer {
  append(text: string): void;
  lines(): readonly ServerLogLine[];
}

/** @param epochMs milliseconds since the Unix epoch */
export function createLogBuffer(epochMs: () => number): LogBuffer {
  const lines: ServerLogLine[] = [];
  return {
    append(text) {
      lines.push({ timestamp: new Date(epochMs()).toISOString(), text });
      if (lines.length > maxLines) lines.shift();
    },
    lines: () => [...lines],
  };
}
