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

/** Headers of a table and of those below it. */
function headerOf(path: Path): RegExp {
  const keys = path.map((key) => `(?:${escapeKey(key)}|"${escapeKey(key)}"|'${escapeKey(key)}')`);
  return new RegExp(`^\\s*\\[\\s*${keys.join('\\s*\\.\\s*')}\\s*(?:\\.[^\\]]*)?\\]`);
}

function escapeKey(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&');
}
