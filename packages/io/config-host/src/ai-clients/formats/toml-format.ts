// TOML as AI clients keep it. An entry is a table at the end of the text, `[path.name]`; nothing else of it is touched.
import type { JsonObject } from '@portico/contracts';
import { parse, stringify, TomlError } from 'smol-toml';
import { type FileFormat, FormatProblem, isRecord, type Path, valueAt } from './file-format.js';

export const tomlFormat: FileFormat = {
  parse: parseToml,
  set(text, path, name, value) {
    const root = parseToml(text);
    const base = valueAt(root, [...path, name]) === undefined ? text : removeTable(text, path, name);
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const table = stringify([...path, name].reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), value));
    const ending = base === '' || base.endsWith('\n') ? '' : eol;
    return `${base}${ending}${base === '' ? '' : eol}${table.trimEnd().replaceAll('\n', eol)}${eol}`;
  },
  remove: (text, path, name) => removeTable(text, path, name),
  setFlag,
  removeFlag,
  textOf() {
    throw new FormatProblem('its entries cannot be taken out as texts');
  },
  setText() {
    throw new FormatProblem('its entries cannot be put in as texts');
  },
  lineOf(text, path, name) {
    const { lines, start } = tableOf(text, [...path, name]);
    return lines[start] === undefined ? 1 : start + 1;
  },
};

function parseToml(text: string): JsonObject {
  try {
    const root: unknown = parse(text, { integersAsBigInt: 'asNeeded' });
    return isRecord(root) ? root : {};
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new FormatProblem(`line ${error.line}, column ${error.column}: not valid TOML`);
  }
}

/** The table with its sub-tables, and the blank line before it. Comments before the next table belong to that one. */
function removeTable(text: string, path: Path, name: string): string {
  const header = headerOf([...path, name]);
  const kept: string[] = [];
  let held: string[] | undefined; // inside the table: blank lines and comments that may belong to the next one
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line)) {
      kept.push(...(held ?? []));
      const isOwn = header.test(line);
      if (isOwn && held === undefined && kept.at(-1)?.trim() === '') kept.pop();
      held = isOwn ? [] : undefined;
      if (isOwn) continue;
    }
    if (held === undefined) kept.push(line);
    else held = /^\s*(#|$)/.test(line) ? [...held, line] : [];
  }
  return [...kept, ...(held ?? [])].join('');
}

/** Inserts the flag behind the header, or first in an inline table. The caller parses the result again. */
function setFlag(text: string, entry: Path, field: string, value: boolean): string {
  const { lines, start, end, inline } = tableOf(text, entry);
  if (start < 0) throw new FormatProblem(`${entry.join('.')} is not written as a table; edit the file by hand`);
  const assignment = assignmentOf(field);
  const at = lines.findIndex((line, index) => index >= start && index < end && assignment.test(line));
  if (at >= 0) {
    lines[at] = (lines[at] ?? '').replace(assignment, `$1${value}`);
  } else if (inline) {
    lines[start] = (lines[start] ?? '').replace('{', `{ ${field} = ${value},`);
  } else {
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const header = lines[start] ?? '';
    lines.splice(start, 1, header.endsWith('\n') ? header : header + eol, `${field} = ${value}${eol}`);
  }
  return lines.join('');
}

/** Also removes a flag that was written again since; a comment behind it stays. */
function removeFlag(text: string, entry: Path, field: string): string {
  const { lines, start, end, inline } = tableOf(text, entry);
  const assigned = `${keyPattern(field)}\\s*=\\s*(?:true|false)`;
  const own = inline
    ? new RegExp(`(\\{)\\s*${assigned}\\s*,`)
    : new RegExp(`^\\s*${assigned}[ \\t]*(?:(#.*)|(?:\\r?\\n|$))`);
  const after = lines.map((line, index) => (index < start || index >= end ? line : line.replace(own, '$1')));
  return after.join('');
}

/** The lines of a table from its header on, or the line of an inline table; -1 where there is neither. */
function tableOf(text: string, path: Path) {
  const lines = text.split(/(?<=\n)/);
  const start = lines.findIndex((line) => headerOf(path, false).test(line));
  if (start >= 0) {
    const length = lines.slice(start + 1).findIndex((line) => /^\s*\[/.test(line));
    return { lines, start, end: length < 0 ? lines.length : start + 1 + length, inline: false };
  }
  const parent = lines.findIndex((line) => headerOf(path.slice(0, -1), false).test(line));
  const own = new RegExp(`^\\s*${keyPattern(path.at(-1) ?? '')}\\s*=\\s*\\{`);
  const at = parent < 0 ? -1 : lines.findIndex((line, index) => index > parent && own.test(line));
  return { lines, start: at, end: at + 1, inline: true };
}

function assignmentOf(field: string): RegExp {
  return new RegExp(`((?:^|[{,])\\s*${keyPattern(field)}\\s*=\\s*)(?:true|false)\\b`);
}

/** Headers of a table, and of those below it. */
function headerOf(path: Path, isDeep = true): RegExp {
  const below = isDeep ? '(?:\\.[^\\]]*)?' : '';
  return new RegExp(`^\\s*\\[\\s*${path.map(keyPattern).join('\\s*\\.\\s*')}\\s*${below}\\]`);
}

function keyPattern(key: string): string {
  return `(?:${escapeKey(key)}|"${escapeKey(key)}"|'${escapeKey(key)}')`;
}

function escapeKey(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&');
}
