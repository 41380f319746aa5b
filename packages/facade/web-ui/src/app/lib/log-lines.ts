// Log lines with repeats counted. Only computations.

export interface LogLine {
  readonly timestamp: string;
  readonly text: string;
}

export interface CountedLine extends LogLine {
  /** How often it came; the time is that of the last one. */
  readonly count: number;
  readonly key: string;
}

/** Lines of a group that may repeat as a whole: what a server writes at each start, and what Portico adds to it. */
const longestGroup = 3;

/** Lines that follow each other and are equal are one; so are groups of lines that follow each other. */
export function countRepeats(lines: readonly LogLine[]): readonly CountedLine[] {
  const counted: CountedLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const size = repeatedSize(counted, lines, at);
    for (const line of lines.slice(at, at + Math.max(size, 1))) {
      const place = size === 0 ? counted.length : counted.length - size;
      const before = size === 0 ? undefined : counted.splice(place, 1)[0];
      counted.push({ ...line, count: (before?.count ?? 0) + 1, key: before?.key ?? `${at} ${line.timestamp}` });
    }
    at += Math.max(size, 1);
  }
  return counted;
}

/** How many of the next lines are those that were kept last, in the same order; 0 for none. */
function repeatedSize(counted: readonly CountedLine[], lines: readonly LogLine[], at: number): number {
  for (let size = 1; size <= longestGroup; size += 1) {
    const last = counted.slice(-size);
    const isSame = last.every(({ text }, index) => lines[at + index]?.text === text);
    const isGroup = new Set(last.map(({ count }) => count)).size === 1;
    if (last.length === size && isSame && isGroup) return size;
  }
  return 0;
}
