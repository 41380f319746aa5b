// How a JSON text is laid out, and values as they look in it.
import type { JsonValue } from '@portico/contracts';

export interface Layout {
  /** Indentation of one level. */
  readonly indent: string;
  readonly eol: string;
  /** Whether all of it is in one line. */
  readonly isOneLine: boolean;
}

/** As the text has it: the indentation of its first indented field, and its first line ending. */
export function layoutOf(text: string): Layout {
  const [, indent = '  '] = /\n([ \t]+)"/.exec(text) ?? [];
  return { indent, eol: text.includes('\r\n') ? '\r\n' : '\n', isOneLine: !text.trim().includes('\n') };
}

/** The white space that the line of an offset begins with. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** A level a line; a line break within a text is escaped, so that every one of them is layout. */
export function inLines(value: JsonValue, { indent, eol }: Layout, outer: string): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `${eol}${outer}`);
}

export function inOneLine(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  const fields = Object.entries(value).flatMap(([name, each]) =>
    each === undefined ? [] : [`${JSON.stringify(name)}: ${inOneLine(each)}`],
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
