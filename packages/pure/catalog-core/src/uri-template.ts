// Whether a URI could come from an RFC 6570 template. The server that owns the template has the last word,
// so every expression stands for any run of characters; matching takes linear time for any template.

/** A pattern of literal pieces with any run of characters between them. */
export type Wildcards = readonly string[];

/** The literal pieces of a URI template, in order. */
export function templateLiterals(template: string): Wildcards {
  return template.split(/\{[^{}]*\}/);
}

/** Whether a text is the pieces in order, anchored at both ends, with anything between them. */
export function matchesWildcards(pieces: Wildcards, text: string): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length <= 1) return text === first;
  const last = pieces[pieces.length - 1] ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let position = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return text.endsWith(last);
}
