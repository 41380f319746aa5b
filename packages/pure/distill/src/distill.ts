// Applies the modifiers of a call to its result, always in one order: select, then limit lines, then limit bytes.
// Never changes the result it is given; what needs no cut is shared, not copied.
import { type Issue, type JsonValue, joinPath } from '@portico/contracts';
import type { Query } from './json-path/query.js';
import { runQuery } from './json-path/run-query.js';
import { LimitExceeded } from './limit-exceeded.js';
import { limitLines } from './limit-lines.js';
import { checkDepth, mapStrings } from './map-strings.js';
import type { Modifiers } from './modifiers.js';
import { ownField, parsedText } from './result-views.js';
import { truncateBytes } from './truncate-bytes.js';

export type Distilled = { readonly ok: true; readonly data: JsonValue } | { readonly ok: false; readonly issue: Issue };

/**
 * @param data what the envelope's `data` would be without modifiers
 * @returns the shorter result, or an issue where the query costs more than one call may, or the data is nested too
 *   deeply to be rewritten. The upstream has been called by then: the issue is about the result only.
 */
export function distill(data: JsonValue, { query, maxLines, maxBytes }: Modifiers): Distilled {
  let modifier = '_jsonpath';
  try {
    let result = query === undefined ? data : select(data, query);
    modifier = maxLines === undefined ? '_truncate_bytes' : '_limit_lines';
    if (maxLines !== undefined || maxBytes !== undefined) checkDepth(result);
    if (maxLines !== undefined) result = mapStrings(result, (text) => limitLines(text, maxLines));
    if (maxBytes !== undefined) result = truncateBytes(result, maxBytes);
    return { ok: true, data: result };
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return { ok: false, issue: { path: joinPath(['args', modifier]), message: error.message } };
  }
}

/** A singular query gives the value or null, any other the array of matches. */
function select(data: JsonValue, query: Query): JsonValue {
  const matches = runQuery(query, toDocument(data));
  return query.isSingular ? (matches[0] ?? null) : matches;
}

/** The result as queries see it: JSON in a single text is offered as the structured content that it stands for. */
function toDocument(data: JsonValue): JsonValue {
  if (ownField(data, 'structuredContent') !== undefined) return data;
  const structuredContent = parsedText(data);
  // Only an object can have a text block that was parsed.
  return structuredContent === undefined ? data : { ...(data as object), structuredContent };
}
