// Keeps the first lines of a text and says how many were removed. Lines end with "\n"; the "\r" before it belongs to
// the line. Never counts the nothing after a final line break as a line.

/** The first `maxLines` lines, then `[… K more lines]` as a line of its own; a text that is short enough as it is. */
export function limitLines(text: string, maxLines: number): string {
  let end = -1;
  for (let line = 0; line < maxLines; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text;
  }
  const more = countLines(text, end + 1);
  return more === 0 ? text : `${text.slice(0, end)}\n[… ${more} more lines]`;
}

function countLines(text: string, from: number): number {
  let lines = 0;
  let start = from;
  while (start < text.length) {
    lines += 1;
    const end = text.indexOf('\n', start);
    if (end === -1) break;
    start = end + 1;
  }
  return lines;
}
