// Edits of the text of a configuration file: comments, order, layout and everything that is not edited stay.
import type { ConfigEdit } from '@portico/control-plane';
import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';

export function editText(content: string, edits: readonly ConfigEdit[]): string {
  const mark = content.startsWith('\uFEFF') ? '\uFEFF' : '';
  return `${mark}${edits.reduce(applyEdit, content.slice(mark.length))}`;
}

function applyEdit(text: string, edit: ConfigEdit): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree === undefined) throw new Error('the text is not valid JSON');
  const { path, value } = reachable(tree, edit);
  const layout = layoutOf(text);
  const there = findNodeAtLocation(tree, [...path])?.parent;
  if (value === undefined) return there === undefined ? text : remove(text, there);
  const last = findNodeAtLocation(tree, path.slice(0, -1))?.children?.at(-1);
  if (there === undefined && last !== undefined) {
    return insertAfter(text, last, `${JSON.stringify(path.at(-1))}: `, value, layout);
  }
  return applyEdits(text, modify(text, [...path], value, { formattingOptions: layout }));
}

/** What is missing on the way, or no object, such as null, is set together with what is to be there. */
function reachable(tree: Node, { path, value }: ConfigEdit): ConfigEdit {
  for (let depth = 1; depth < path.length; depth++) {
    const node = findNodeAtLocation(tree, path.slice(0, depth));
    if (node?.type === 'object') continue;
    const there = node && getNodeValue(node);
    return { path: path.slice(0, depth), value: value === undefined ? there : wrapped(path.slice(depth), value) };
  }
  return { path, value };
}

function wrapped(path: readonly string[], value: ConfigEdit['value']): ConfigEdit['value'] {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}

function isOnOwnLine(text: string, { offset }: Node): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
}

/** On a line of its own where the others are, behind the comment that ends the line of the property before it. */
function insertAfter(text: string, before: Node, name: string, value: unknown, layout: FormattingOptions): string {
  const { eol = '\n' } = layout;
  const indent = text.slice(text.lastIndexOf('\n', before.offset - 1) + 1, before.offset);
  const step = layout.insertSpaces ? ' '.repeat(layout.tabSize ?? 2) : '\t';
  const isAlone = isOnOwnLine(text, before);
  const property = isAlone
    ? `${eol}${indent}${name}${JSON.stringify(value, null, step).replaceAll('\n', `${eol}${indent}`)}`
    : ` ${name}${JSON.stringify(value)}`;
  const end = before.offset + before.length;
  const { commaEnd, lineEnd } = restOfLine(text, end);
  const place = isAlone ? lineEnd : (commaEnd ?? end);
  return commaEnd === undefined
    ? `${text.slice(0, end)},${text.slice(end, place)}${property}${text.slice(place)}`
    : `${text.slice(0, place)}${property},${text.slice(place)}`;
}

/** With its comma, or that of the one before it; its line goes too where nothing else is on it. Comments stay. */
function remove(text: string, property: Node): string {
  const end = property.offset + property.length;
  const { commaEnd } = restOfLine(text, end);
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const kept = commaEnd === undefined ? text.slice(end) : `${text.slice(end, commaEnd - 1)}${text.slice(commaEnd)}`;
  let head = text.slice(0, property.offset);
  if (commaEnd === undefined && before !== undefined) {
    const beforeEnd = before.offset + before.length;
    const { commaEnd: beforeComma = beforeEnd + 1 } = restOfLine(text, beforeEnd);
    head = `${head.slice(0, beforeComma - 1)}${head.slice(beforeComma)}`;
  }
  const [, blank] = /\r?\n([ \t]*)$/.exec(head) ?? [];
  const isWholeLine = blank !== undefined && /^[ \t]*\r?\n/.test(kept);
  return isWholeLine
    ? `${head.replace(/\r?\n[ \t]*$/, '')}${kept.replace(/^[ \t]*/, '')}`
    : `${head}${kept.trimStart()}`;
}

/** What follows a property: where its comma ends, if it has one, and where the comments of its line do. */
function restOfLine(text: string, from: number): { readonly commaEnd: number | undefined; readonly lineEnd: number } {
  const pieces = /(,)|(\n)|(\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)|[^\S\n]+/y;
  pieces.lastIndex = from;
  let commaEnd: number | undefined;
  let lineEnd = from;
  let isSameLine = true;
  for (let piece = pieces.exec(text); piece !== null; piece = pieces.exec(text)) {
    const [, comma, lineBreak, comment] = piece;
    if (comma !== undefined && commaEnd !== undefined) break; // of what is not valid
    if (comma !== undefined) commaEnd = pieces.lastIndex;
    if (comma !== undefined || (comment !== undefined && isSameLine)) lineEnd = pieces.lastIndex;
    if (comma !== undefined || lineBreak !== undefined) isSameLine = comma !== undefined;
  }
  return { commaEnd, lineEnd };
}

/** As the text has it: its first indented line, and its first line ending. */
function layoutOf(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 1 : indent.length, eol };
}
