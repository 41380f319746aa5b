// Whether a URI could come from an RFC 6570 template. The server that owns the template has the last word, so every
// expression matches any run of characters; matching takes linear time for any template.

/** A pattern of literal pieces with any run of characters between them. */
export type Wildcards = readonly string[];

/** The literal pieces of a URI template, in order. */
export function templateLiterals(template: string): Wildcards {
  return template.split(/\{[^{}]*\}/);
}

export interface Template {
  readonly canonicalId: string;
  readonly pieces: Wildcards;
}

export function toTemplate(server: string, { uriTemplate }: { readonly uriTemplate: string }): Template {
  return { canonicalId: `${server}.${uriTemplate}`, pieces: templateLiterals(uriTemplate) };
}

/** Canonical ids of the templates that a URI matches. */
export function coveringIds(templates: readonly Template[], uri: string): readonly string[] {
  return templates.filter(({ pieces }) => matchesWildcards(pieces, uri)).map(({ canonicalId }) => canonicalId);
}

/** Whether a text is the pieces in order, anchored at both ends, with anything between them. */
export function matchesWildcards(pieces: Wildcards, text: string): boolean {
  const first = pieces[0] ?? '';
  if (pieces.length <= 1) return text === first;
  const last = pieces[pieces.length - 1] ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let position = first.length;
  for (let at = 1; at < pieces.length - 1; at += 1) {
    const piece = pieces[at] ?? '';
    const found = text.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return text.endsWith(last);
}
