// Two values side by side as a person compares them. Long ones are reduced to their differences, with a little around
// it: two that begin alike would look the same where each is cut at its end.
import type { JsonValue } from '@portico/contracts';
import { count, cutText, visibleJson } from './visible-json.js';

/** Undefined means absent. */
export interface Sides {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

export interface Difference {
  readonly before: string | null;
  readonly after: string | null;
  /** Whether not all of the difference is shown. */
  readonly isCut: boolean;
}

const maxLength = 2000;
/** Characters that both have, before and after where they differ. */
const around = 40;

export function differenceOf({ before, after }: Sides): Difference {
  const [old, now] = [toText(before), toText(after)];
  const isLong = Math.max(old?.text.length ?? 0, now?.text.length ?? 0) > maxLength;
  const same = isLong && old && now ? sameEnds(old.text, now.text) : { start: 0, end: 0 };
  const shown = [old, now].map((side) => (side === undefined ? undefined : showPart(side, same)));
  return {
    before: shown[0]?.text ?? null,
    after: shown[1]?.text ?? null,
    isCut: shown.some((side) => side?.isCut === true),
  };
}

interface Text {
  readonly text: string;
  readonly isJson: boolean;
}

function toText(value: JsonValue | undefined): Text | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? { text: value, isJson: false } : { text: JSON.stringify(value), isJson: true };
}

/** How many characters at the start and at the end are left out, since both have them. */
interface SameEnds {
  readonly start: number;
  readonly end: number;
}

function sameEnds(a: string, b: string): SameEnds {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { start: Math.max(0, start - around), end: Math.max(0, end - around) };
}

function showPart(
  { text, isJson }: Text,
  { start, end }: SameEnds,
): { readonly text: string; readonly isCut: boolean } {
  const part = cutText(text.slice(start, text.length - end), maxLength);
  const quoted = visibleJson(part.text);
  const shown = isJson ? quoted.slice(1, -1).replaceAll('\\"', '"') : quoted; // JSON has quotes of its own
  const last = start + part.text.length;
  if (start === 0 && last === text.length) return { text: shown, isCut: false };
  const [before, after] = [start > 0 ? '…' : '', last < text.length ? '…' : ''];
  const rest = part.isCut ? 'the rest finds no room' : 'the rest is the same';
  const where = `characters ${thousands(start + 1)} to ${thousands(last)} of ${thousands(text.length)}; ${rest}`;
  return { text: `${before}${shown}${after} (${where})`, isCut: part.isCut };
}

function thousands(n: number): string {
  return count(n, '', '').trim();
}
