// The last output of a child before it failed: mostly the reason, which its exit code does not show. For operators
// only; callers get the error of an unavailable server.
import { lastLineMark, type ServerInfo } from '@portico/contracts';
import type { ConnectionState } from './connection.js';

export interface LastWords {
  noteLine(line: string): void;
  /** Output before a failure belongs to it. */
  follow(connection: ConnectionState): void;
  /** The last error of a server with the line that belongs to it; nothing where there is none. */
  describe(lastError: string | undefined): Pick<ServerInfo, 'last_error' | 'last_line'>;
}

const maxLength = 300;

/** @param isChild whether it writes a log of its own */
export function createLastWords(isChild: boolean): LastWords {
  let latestLine = '';
  let last = '';
  return {
    noteLine(line) {
      if (isChild && line.trim() !== '') latestLine = line.trim();
    },
    follow(connection) {
      if ('lastError' in connection) {
        last = latestLine;
        latestLine = '';
      }
    },
    describe(lastError) {
      if (last === '' || lastError === undefined) return {};
      const line = last.length > maxLength ? `${last.slice(0, maxLength)}…` : last;
      return { last_error: `${lastError}${lastLineMark}${line}`, last_line: line };
    },
  };
}
