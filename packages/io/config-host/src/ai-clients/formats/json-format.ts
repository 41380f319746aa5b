// JSON as AI clients keep it, with comments and trailing commas where the client takes them. Edits touch one member.
import { type JsonObject, type JsonValue, maxNesting, nestsDeeperThan } from '@portico/contracts';
import { applyEdits, type Edit, getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { describeJsonProblem } from '../../json-problem.js';
import { type FileFormat, FormatProblem, isRecord, type Path } from './file-format.js';
import {
  endOfMarks,
  indentUnit,
  lineIndent,
  marksBetween,
  marksOf,
  memberOf,
  spanOf,
  valueNodeOf,
} from './json-members.js';

export interface JsonTolerance {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

export function createJsonFormat(tolerance: JsonTolerance): FileFormat {
  const treeOf = (text: string) => parse(text, tolerance);

  const remove: FileFormat['remove'] = (text, path, name, before) => {
    const after = removeMember(text, treeOf(text), path, name);
    return before === undefined ? after : removeMadeObjects(after, path, before);
  };

  /** Objects that were not there before and have nothing in them. */
  const removeMadeObjects = (text: string, path: Path, before: string): string => {
    const [key, parent] = [path.at(-1), path.slice(0, -1)];
    if (key === undefined || before.trim() === '' || objectAt(treeOf(before), path) !== undefined) return text;
    const made = objectAt(treeOf(text), path);
    if (made === undefined || text.slice(made.offset + 1, spanOf(made).end - 1).trim() !== '') return text;
    return removeMadeObjects(removeMember(text, treeOf(text), parent, key), parent, before);
  };

  return {
    parse(text) {
      if (text.trim() === '') return {};
      const value: unknown = getNodeValue(treeOf(text));
      if (!isRecord(value)) throw new FormatProblem('it holds no object');
      return value;
    },
    set(text, path, name, value) {
      if (text.trim() === '') return `${JSON.stringify(nest([...path, name], value), null, 2)}\n`;
      return setMember(text, treeOf(text), path, name, value);
    },
    remove,
    setFlag: (text, entry, field, value) => setMember(text, treeOf(text), entry, field, value),
    removeFlag: (text, entry, field) => remove(text, entry, field),
    textOf(text, path, name) {
      const object = objectAt(treeOf(text), path);
      const value = object === undefined ? undefined : valueNodeOf(memberOf(object, name));
      return value === undefined ? undefined : text.slice(value.offset, value.offset + value.length);
    },
    setText(text, path, name, value) {
      const object = objectAt(treeOf(text), path);
      if (object === undefined) throw new FormatProblem(`${path.join('.')} is not there`);
      return insertMember(text, object, name, { inLine: () => value, inLines: () => value });
    },
    lineOf(text, path, name) {
      const object = objectAt(treeOf(text), path);
      const member = object === undefined ? undefined : memberOf(object, name);
      return text.slice(0, member?.offset ?? 0).split('\n').length;
    },
  };
}

function parse(text: string, { comments, trailingCommas }: JsonTolerance): Node {
  if (nestsDeeperThan(text, maxNesting)) throw new FormatProblem(`it is nested deeper than ${maxNesting} levels`);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: trailingCommas });
  const [first] = errors;
  if (first === undefined && root !== undefined) return root;
  const { place, message } = describeJsonProblem(text, first ?? { error: 4, offset: 0, length: 0 });
  throw new FormatProblem(`${place}: ${message}`);
}

/** The object at a path; undefined if there is none. @throws FormatProblem if something else is in the way */
function objectAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const [depth, key] of ['', ...path].entries()) {
    if (depth > 0) node = valueNodeOf(memberOf(node, key));
    if (node === undefined) return undefined;
    if (node.type !== 'object') throw new FormatProblem(`${path.slice(0, depth).join('.') || 'it'} is not an object`);
  }
  return node;
}

function setMember(text: string, root: Node, path: Path, name: string, value: JsonValue): string {
  let depth = path.length;
  while (objectAt(root, path.slice(0, depth)) === undefined) depth -= 1;
  const object = objectAt(root, path.slice(0, depth)) ?? root;
  const [key = name, ...rest] = [...path.slice(depth), name];
  const existing = valueNodeOf(memberOf(object, key));
  const made = nest(rest, value);
  if (existing === undefined) return insertMember(text, object, key, writtenAs(text, made));
  const content = toText(made, text, lineIndent(text, existing.offset));
  return applyEdits(text, [{ offset: existing.offset, length: existing.length, content }]);
}

/** A value as text, beside others in one line or on lines of its own behind an indent. */
interface Written {
  readonly inLine: () => string;
  readonly inLines: (indent: string) => string;
}

function writtenAs(text: string, value: JsonValue): Written {
  return { inLine: () => JSON.stringify(value), inLines: (indent) => toText(value, text, indent) };
}

/** Behind everything that the object has, comments included, so that none of them changes what it seems to speak of. */
function insertMember(text: string, object: Node, key: string, value: Written): string {
  const last = object.children?.at(-1);
  const { start, end } = spanOf(object);
  const from = last === undefined ? start + 1 : spanOf(last).end;
  const marks = marksBetween(marksOf(text), { start: from, end: end - 1 });
  const hasTrailingComma = marks.commas.length > 0;
  const at = endOfMarks(marks, from);
  const comma: Edit[] = last === undefined || hasTrailingComma ? [] : [{ offset: from, length: 0, content: ',' }];
  const behind = hasTrailingComma ? ',' : '';
  const name = JSON.stringify(key);
  const insert = (content: string) => applyEdits(text, [...comma, { offset: at, length: 0, content }]);

  const isOneLine = last !== undefined && marks.comments.length === 0 && !text.slice(start, end).includes('\n');
  if (isOneLine) return insert(` ${name}: ${value.inLine()}${behind}`);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = lineIndent(text, start);
  const first = object.children?.[0];
  const inner = first === undefined ? outer + indentUnit(text) : lineIndent(text, first.offset);
  const closing = text.slice(at, end - 1).includes('\n') ? '' : eol + outer;
  return insert(`${eol}${inner}${name}: ${value.inLines(inner)}${behind}${closing}`);
}

/** With the comma that it needs there and the white space before it; comments stay. */
function removeMember(text: string, root: Node, path: Path, name: string): string {
  const object = objectAt(root, path);
  const member = object === undefined ? undefined : memberOf(object, name);
  if (object === undefined || member === undefined) return text;
  const members = object.children ?? [];
  const index = members.indexOf(member);
  const [previous, next] = [members[index - 1], members[index + 1]];
  const { start, end } = spanOf(member);
  const all = marksOf(text);
  const leftFrom = previous === undefined ? object.offset + 1 : spanOf(previous).end;
  const rightTo = next === undefined ? spanOf(object).end - 1 : next.offset;
  const left = marksBetween(all, { start: leftFrom, end: start });
  const right = marksBetween(all, { start: end, end: rightTo });
  if (members.length === 1 && left.comments.length + right.comments.length === 0) {
    return applyEdits(text, [{ offset: leftFrom, length: rightTo - leftFrom, content: '' }]);
  }
  const cut = endOfMarks(left, leftFrom);
  const comma = right.commas[0] ?? left.commas[0];
  return applyEdits(text, [
    { offset: cut, length: end - cut, content: '' },
    ...(comma === undefined ? [] : [{ offset: comma.start, length: 1, content: '' }]),
  ]);
}

function toText(value: JsonValue, text: string, indent: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', eol + indent);
}

function nest(path: Path, value: JsonObject): JsonObject;
function nest(path: Path, value: JsonValue): JsonValue;
function nest(path: Path, value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
}
