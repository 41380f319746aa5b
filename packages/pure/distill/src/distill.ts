// Applies the modifiers of a call to its result, always in one order: select, then limit lines, then limit bytes.
// Never changes the result it is given; what needs no cut is shared, not copied.
import {
  exactNumbers,
  exactTextOf,
  gatherExact,
  type Issue,
  type JsonValue,
  joinPath,
  writeExact,
} from '@portico/contracts';
import type { Query } from './json-path/query.js';
import { runQuery } from './json-path/run-query.js';
import { LimitExceeded } from './limit-exceeded.js';
import { limitLines } from './limit-lines.js';
import { checkDepth, mapStrings } from './map-strings.js';
import type { Modifiers } from './modifiers.js';
import { ownField, parsedText } from './result-views.js';
import { truncateBytes } from './truncate-bytes.js';

export type Distilled =
  | {
      readonly ok: true;
      readonly data: JsonValue;
      /** Its JSON text, where it has numbers that keep the texts that they came as. */
      readonly text?: string;
    }
  | { readonly ok: false; readonly issue: Issue };

/**
 * Shortens a result: a JSONPath query (RFC 9535), then a limit of lines, then one of bytes.
 * @param data what the envelope's `data` would be without modifiers
 * @returns the shorter result, or an issue where the query costs more than one call may, or the data is nested too
 *   deeply to be rewritten. The upstream has been called by then: the issue is about the result only.
 */
export function distill(data: JsonValue, { query, maxLines, maxBytes }: Modifiers): Distilled {
  let modifier = '_jsonpath';
  try {
    const selected: Selected = query === undefined ? { value: data } : select(data, query);
    let result = selected.value;
    modifier = maxLines === undefined ? '_truncate_bytes' : '_limit_lines';
    if (maxLines !== undefined || maxBytes !== undefined) checkDepth(result);
    if (maxLines !== undefined) result = mapStrings(result, (text) => limitLines(text, maxLines));
    if (maxBytes !== undefined) result = truncateBytes(result, maxBytes);
    const text = (result === selected.value ? selected.text : undefined) ?? textOf(result);
    return text === undefined ? { ok: true, data: result } : { ok: true, data: result, text };
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
    return { ok: false, issue: { path: joinPath(['args', modifier]), message: error.message } };
  }
}

/** @returns undefined if JSON.stringify writes the same */
function textOf(result: JsonValue): string | undefined {
  const isHolder = typeof result === 'object' && result !== null && exactNumbers in result;
  return isHolder ? writeExact(result) : undefined;
}

interface Selected {
  readonly value: JsonValue;
  /** The text that a number came as. */
  readonly text?: string | undefined;
}

/** A singular query gives the value or null, any other the array of matches. */
function select(data: JsonValue, query: Query): Selected {
  const matches = runQuery(query, toDocument(data));
  if (!query.isSingular) return { value: matches };
  const [value = null] = matches;
  return { value, text: typeof value === 'number' ? exactTextOf(matches, '0', value) : undefined };
}

/** The result as queries see it: JSON in a single text is offered as structured content. */
function toDocument(data: JsonValue): JsonValue {
  if (ownField(data, 'structuredContent') !== undefined) return data;
  const structuredContent = parsedText(data);
  // Only an object can have a text block that was parsed.
  return structuredContent === undefined ? data : gatherExact({ ...(data as object), structuredContent });
}
