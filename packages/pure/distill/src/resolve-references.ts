// Puts the results of earlier steps of a batch where a later step's arguments refer to them.
// Never resolves what it has put in: a result that looks like a reference is a text like any other.
import {
  exactJson,
  exactTextOf,
  gatherExact,
  type Issue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  joinPath,
  sizeUpTo,
} from '@portico/contracts';
import { type PathKey, parseWholeReference, type Reference, splitAtReferences } from './reference.js';
import { ownField, parsedText } from './result-views.js';

export type ResolvedReferences =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly issue: Issue };

/** Maximum size of the results put into one step, in characters and values. */
const maxResolvedSize = 4 * 1024 * 1024;

/**
 * A string that is exactly `$<step_id>.<path>` becomes the value with its type; inside a text `${<step_id>.<path>}` is
 * replaced by the value's text (strings as they are, other values as JSON). Paths take `.name`, `[n]` and `["name"]`
 * and start at the step's `data`; where its first key is not there, at `structuredContent`, then at the JSON of the
 * only text. A whole `$<name>.<path>` that names no step of the batch is an issue: `$$` at the beginning of a string
 * becomes `$`, and no whole reference follows it. Everything else stays as it is.
 *
 * @param outputs the `data` of the steps that have one, by step id
 * @param stepIds all steps of the batch: a reference to one without output is an issue
 * @returns new arguments, or the first reference without a value, by its path in `args`
 */
export function resolveReferences(
  args: JsonObject,
  outputs: ReadonlyMap<string, JsonValue>,
  stepIds: Iterable<string>,
): ResolvedReferences {
  const resolver = createResolver(outputs, new Set(stepIds));
  try {
    return { ok: true, args: resolver.inObject(args, ['args']) };
  } catch (error) {
    if (error instanceof Unresolved) return { ok: false, issue: error.issue };
    if (error instanceof RangeError) return { ok: false, issue: { path: 'args', message: 'is nested too deeply' } };
    throw error;
  }
}

/** Ends the walk at the first reference without a value. */
class Unresolved extends Error {
  override readonly name = 'Unresolved';
  readonly issue: Issue;

  constructor(at: readonly PathKey[], message: string) {
    super(message);
    this.issue = { path: joinPath(at), message };
  }
}

function createResolver(outputs: ReadonlyMap<string, JsonValue>, stepIds: ReadonlySet<string>) {
  const views = new Map<string, readonly (JsonValue | undefined)[]>();
  let sizeLeft = maxResolvedSize;
  return { inObject };

  function inObject(object: JsonObject, at: readonly PathKey[]): JsonObject {
    const texts = new Map<string, string>();
    const entries = Object.entries(object).map(([key, value]): [string, JsonValue | undefined] => [
      key,
      value === undefined ? value : inMember(value, [...at, key], texts),
    ]);
    return gatherExact(Object.fromEntries(entries), texts, object);
  }

  /** @param texts is given the text of a number that keeps the one that it came as, by its key */
  function inMember(value: JsonValue, at: readonly PathKey[], texts: Map<string, string>): JsonValue {
    if (typeof value === 'string') {
      const { value: found, text } = inText(value, at);
      if (text !== undefined) texts.set(String(at.at(-1)), text);
      return found;
    }
    if (Array.isArray(value)) return inArray(value, at);
    return isJsonObject(value) ? inObject(value, at) : value;
  }

  function inArray(items: readonly JsonValue[], at: readonly PathKey[]): JsonValue {
    const texts = new Map<string, string>();
    const resolved = items.map((item, index) => inMember(item, [...at, index], texts));
    return gatherExact(resolved, texts, items);
  }

  function inText(text: string, at: readonly PathKey[]): Found {
    if (!text.includes('$')) return { value: text };
    const isEscaped = text.startsWith('$$') && text[2] !== '{'; // `$${a.b}` is a `$` before a value
    const whole = isEscaped ? undefined : parseWholeReference(text, stepIds);
    if (whole !== undefined) return resolve(whole, at);
    const pieces = splitAtReferences(isEscaped ? text.slice(1) : text, stepIds);
    return { value: pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(resolve(piece, at)))).join('') };
  }

  function resolve(reference: Reference, at: readonly PathKey[]): Found {
    const { text } = reference;
    if (reference.kind === 'malformed') {
      throw new Unresolved(at, `${text} is not a reference: a path takes .name, [n] and ["name"]`);
    }
    if (reference.kind === 'unknown') {
      const meant = `if the text itself is meant, write $${text}`;
      throw new Unresolved(at, `${text} cannot be resolved: the batch has no step ${reference.stepId}; ${meant}`);
    }
    const { stepId, path } = reference;
    if (!outputs.has(stepId)) throw new Unresolved(at, `${text} cannot be resolved: step ${stepId} has no result`);
    const found = follow(viewsOf(stepId), path);
    if (found === undefined) throw new Unresolved(at, `${text} cannot be resolved: the result has nothing there`);
    sizeLeft -= sizeUpTo([found.value], sizeLeft);
    if (sizeLeft < 0)
      throw new Unresolved(at, `${text} cannot be resolved: the results come to more than 4 MiB (a fixed limit)`);
    return found;
  }

  /** Where a path may start, in this order. */
  function viewsOf(stepId: string): readonly (JsonValue | undefined)[] {
    const known = views.get(stepId);
    if (known !== undefined) return known;
    const data = outputs.get(stepId);
    const found = data === undefined ? [] : [data, ownField(data, 'structuredContent'), parsedText(data)];
    views.set(stepId, found);
    return found;
  }
}

interface Found {
  readonly value: JsonValue;
  /** The text that a number came as. */
  readonly text?: string | undefined;
}

/** Starts at the first view that has the first key; what is missing further on is missing. */
function follow(views: readonly (JsonValue | undefined)[], path: readonly PathKey[]): Found | undefined {
  const [first] = path;
  if (first === undefined) return undefined;
  const view = views.find((each) => childAt(each, first) !== undefined);
  const holder = path.slice(0, -1).reduce(childAt, view);
  const last = path.at(-1) ?? first;
  const value = childAt(holder, last);
  if (value === undefined) return undefined;
  const isHolder = typeof holder === 'object' && holder !== null;
  return { value, text: isHolder && typeof value === 'number' ? exactTextOf(holder, last, value) : undefined };
}

function childAt(value: JsonValue | undefined, key: PathKey): JsonValue | undefined {
  if (typeof key === 'string') return ownField(value, key);
  return Array.isArray(value) ? value[key] : undefined;
}

function textOf({ value, text }: Found): string {
  return text ?? (typeof value === 'string' ? value : exactJson(value));
}
