// One property of a JSON text, or item of a list, put in, taken out or given another value. Comments stay, also beside what is taken out,
// and a comment at the end of a line stays with the line.
import type { JsonValue } from '@portico/contracts';
import { createScanner, type Edit, type Node } from 'jsonc-parser';
import { indentAt, inLines, inOneLine, type Layout, lineStart } from './text-layout.js';

/** A list that fits in one line stays in one. */
const maxOneLine = 100;

export function replaceValue(text: string, layout: Layout, node: Node, value: JsonValue): Edit {
  const { offset, length } = node;
  const before = text.slice(offset, offset + length);
  const line = inOneLine(value);
  const isOneLine =
    layout.isOneLine || (/^[[{]\s*[^\s\]}]/.test(before) && !before.includes('\n') && line.length <= maxOneLine);
  return { offset, length, content: isOneLine ? line : inLines(value, layout, indentAt(text, offset)) };
}

export function insertProperty(text: string, layout: Layout, object: Node, name: string, value: JsonValue): Edit[] {
  return insertLast(text, layout, object, `${JSON.stringify(name)}: `, value);
}

/** Behind all others. */
export function insertItem(text: string, layout: Layout, list: Node, value: JsonValue): Edit[] {
  return insertLast(text, layout, list, '', value);
}

function insertLast(text: string, layout: Layout, object: Node, name: string, value: JsonValue): Edit[] {
  const last = object.children?.at(-1);
  const first = object.children?.[0];
  const isBlock = first === undefined ? !layout.isOneLine : text.slice(object.offset, first.offset).includes('\n');
  if (!isBlock) return insertInLine(text, last, object, `${name}${inOneLine(value)}`);

  const outer = indentAt(text, object.offset);
  const indent = last === undefined ? outer + layout.indent : indentAt(text, last.offset);
  const content = `${layout.eol}${indent}${name}${inLines(value, layout, indent)}`;
  if (last === undefined) {
    const at = afterComment(text, object.offset + 1);
    const isOpen = text.slice(at, object.offset + object.length).includes('\n');
    return [put(at, isOpen ? content : `${content}${layout.eol}${outer}`)];
  }
  const comma = commaAfter(text, last);
  if (comma !== undefined) return [put(afterComment(text, comma + 1), `${content},`)];
  const end = endOf(last);
  const at = afterComment(text, end);
  return at === end ? [put(end, `,${content}`)] : [put(end, ','), put(at, content)];
}

function insertInLine(text: string, last: Node | undefined, object: Node, property: string): Edit[] {
  if (last === undefined) return [put(object.offset + 1, property)];
  const comma = commaAfter(text, last);
  return [comma === undefined ? put(endOf(last), `, ${property}`) : put(comma + 1, ` ${property},`)];
}

/** Takes its comma along, or the one before it where it is the last; and its line, where nothing else is in it. */
export function removeProperty(text: string, property: Node): Edit[] {
  const siblings = property.parent?.children ?? [];
  const rest = siblings.length === 1 ? aroundOnly(text, property) : undefined;
  if (rest !== undefined) return [rest];
  const before = siblings[siblings.indexOf(property) - 1];
  const comma = commaAfter(text, property);
  const isNear = comma !== undefined && /^[ \t]*$/.test(text.slice(endOf(property), comma));
  const end = isNear ? comma + 1 : endOf(property);
  const start = lineStart(text, property.offset);
  const [tail = '', lineEnd] = /^[ \t]*(\r?\n)?/.exec(text.slice(end)) ?? [];
  const isAlone = lineEnd !== undefined && text.slice(start, property.offset).trim() === '';
  const own = isAlone ? take(start, end + tail.length) : inLineRange(text, property.offset, end, isNear);
  if (comma !== undefined) return isNear ? [own] : [own, take(comma, comma + 1)];
  const commaBefore = before === undefined ? undefined : commaAfter(text, before);
  return commaBefore === undefined ? [own] : [take(commaBefore, commaBefore + 1), own];
}

/** All that is in an object of the document, where that is one property and white space: what is left is `{}`. */
function aroundOnly(text: string, { parent, offset, length }: Node): Edit | undefined {
  if (parent?.type !== 'object' || parent.parent === undefined) return undefined;
  const [from, to] = [parent.offset + 1, endOf(parent) - 1];
  const around = `${text.slice(from, offset)}${text.slice(offset + length, to)}`;
  return /^\s*,?\s*$/.test(around) ? take(from, to) : undefined;
}

/** With the spaces between it and its neighbour. */
function inLineRange(text: string, from: number, to: number, hasNext: boolean): Edit {
  if (hasNext) return take(from, to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0));
  return take(from - (/[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0), to);
}

function commaAfter(text: string, node: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(node));
  scanner.scan();
  const offset = scanner.getTokenOffset();
  return text[offset] === ',' ? offset : undefined;
}

/** Behind a comment that follows in the same line. */
function afterComment(text: string, offset: number): number {
  const found = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/.exec(text.slice(offset));
  return offset + (found?.[0].length ?? 0);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function put(offset: number, content: string): Edit {
  return { offset, length: 0, content };
}

function take(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: '' };
}
