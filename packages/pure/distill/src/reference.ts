// The syntax of a reference to an earlier step's result: `$step.path` as a whole string, `${step.path}` inside a text.
// Never resolves a reference.
import { parseJson } from '@portico/contracts';

/** A name selects a field, a number an item. */
export type PathKey = string | number;

export type Reference =
  | { readonly kind: 'path'; readonly text: string; readonly stepId: string; readonly path: readonly PathKey[] }
  /** Is a path of a step that the batch does not have: a name that was mistyped. */
  | { readonly kind: 'unknown'; readonly text: string; readonly stepId: string }
  /** Names a step, goes on like a path, and is malformed. */
  | { readonly kind: 'malformed'; readonly text: string };

/** A text in pieces: what is copied, and what is replaced. */
export type Piece = string | Reference;

const identifier = '[\\p{L}_][\\p{L}\\p{N}_-]*';
const quotedName = '"(?:[^"\\\\]|\\\\.){0,1000}"';
const key = new RegExp(`^(?:\\.(${identifier})|\\[(\\d{1,15})\\]|\\[(${quotedName})\\])`, 'u');
/** A name in the place of a step's id. */
const unknownName = /^\$([\p{L}\p{N}_-]+)/u;
/** Only a path begins like this: `$1.50` is a price even where a step is called `1`. */
const pathStart = /^(?:\.[\p{L}_]|\[[\d"])/u;

/** The reference that the whole text is, if it is one. A text with white space outside quotes is a sentence. */
export function parseWholeReference(text: string, stepIds: Iterable<string>): Reference | undefined {
  if (!text.startsWith('$')) return undefined;
  const stepId = findStepId(text, 1, stepIds);
  if (stepId === undefined) return parseUnknown(text);
  const { path, end } = parsePath(text, 1 + stepId.length);
  if (end === text.length) return toReference(text, stepId, path);
  return /\s|\$\{/u.test(text.slice(end)) ? undefined : { kind: 'malformed', text };
}

function parseUnknown(text: string): Reference | undefined {
  const stepId = unknownName.exec(text)?.[1];
  if (stepId === undefined || findStepId(text, 1, [stepId]) === undefined) return undefined;
  return parsePath(text, 1 + stepId.length).end === text.length ? { kind: 'unknown', text, stepId } : undefined;
}

/** Splits a text at its `${step.path}`; every other `${…}` is text. */
export function splitAtReferences(text: string, stepIds: Iterable<string>): readonly Piece[] {
  const pieces: Piece[] = [];
  let copied = 0;
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', open + 2)) {
    if (open < copied) continue; // inside the quotes of the reference before
    const stepId = findStepId(text, open + 2, stepIds);
    if (stepId === undefined) continue;
    const { path, end } = parsePath(text, open + 2 + stepId.length);
    const isClosed = text[end] === '}';
    const whole = text.slice(open, end + 1);
    pieces.push(
      text.slice(copied, open),
      isClosed ? toReference(whole, stepId, path) : { kind: 'malformed', text: whole },
    );
    copied = end + 1;
  }
  pieces.push(text.slice(copied));
  return pieces;
}

function toReference(text: string, stepId: string, path: readonly PathKey[] | undefined): Reference {
  return path === undefined ? { kind: 'malformed', text } : { kind: 'path', text, stepId, path };
}

/** The longest step id that stands at this place with a path after it: one id may be the beginning of another. */
function findStepId(text: string, at: number, stepIds: Iterable<string>): string | undefined {
  let longest: string | undefined;
  for (const id of stepIds) {
    if (id.length <= (longest?.length ?? 0) || !text.startsWith(id, at)) continue;
    const end = at + id.length;
    if (pathStart.test(text.slice(end, end + 3))) longest = id;
  }
  return longest;
}

interface ParsedPath {
  /** Undefined if a quoted name is no JSON string. */
  readonly path: readonly PathKey[] | undefined;
  readonly end: number;
}

function parsePath(text: string, from: number): ParsedPath {
  const path: PathKey[] = [];
  let end = from;
  let isWellFormed = true;
  for (;;) {
    const found = key.exec(text.slice(end));
    if (found === null) return { path: isWellFormed ? path : undefined, end };
    const [whole, name, index, quoted] = found;
    const parsed = quoted === undefined ? (name ?? Number(index)) : parseName(quoted);
    if (parsed === undefined) isWellFormed = false;
    else path.push(parsed);
    end += whole.length;
  }
}

function parseName(quoted: string): string | undefined {
  try {
    return parseJson(quoted);
  } catch {
    return undefined;
  }
}
