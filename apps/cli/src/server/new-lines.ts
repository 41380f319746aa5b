// The lines of a window over a log that the window before did not have: the log is only ever appended to, and cut in
// front.
import type { ServerLogLine } from '@portico/contracts';

export function newLines(before: readonly ServerLogLine[], now: readonly ServerLogLine[]): readonly ServerLogLine[] {
  for (let overlap = Math.min(before.length, now.length); overlap > 0; overlap -= 1) {
    const tail = before.slice(-overlap);
    if (tail.every((line, index) => isSame(line, now[index]))) return now.slice(overlap);
  }
  return now;
}

function isSame(one: ServerLogLine, other: ServerLogLine | undefined): boolean {
  return one.timestamp === other?.timestamp && one.text === other.text;
}
