// Values that only the client itself can fill in: `${env:TOKEN}`, `{file:key.txt}`, `${input:token}`. A whole value that
// names an environment variable becomes a secret URI of Portico's; anything else cannot be taken over.
import { isRecord } from '../formats/file-format.js';

/** How a client writes references. Both find nothing in a plain value. */
export interface References {
  /** A value that is a reference to an environment variable and nothing else; the first group is its name. */
  readonly variable: RegExp;
  /** Anything that the client would replace. */
  readonly any: RegExp;
}

export const noReferences: References = { variable: /^\b$/, any: /^\b$/ };

/** Claude Code: `${NAME}` and `${NAME:-default}`. */
export const bracedNames: References = { variable: /^\$\{(\w+)\}$/, any: /\$\{[^}]*\}/ };

/** Cursor, Windsurf and VS Code: `${env:NAME}`, `${input:id}`, `${workspaceFolder}`, … */
export const bracedKinds: References = { variable: /^\$\{env:(\w+)\}$/, any: /\$\{[^}]*\}/ };

/** Gemini CLI: `$NAME` and `${NAME}`. */
export const shellNames: References = { variable: /^\$(?=\{\w+\}$|\w+$)\{?(\w+)\}?$/, any: /\$(?:\w+|\{[^}]*\})/ };

/** OpenCode: `{env:NAME}` and `{file:path}`. */
export const openCodeNames: References = { variable: /^\{env:(\w+)\}$/, any: /\{(?:env|file):[^}]*\}/ };

/** Fields that hold a reference where Portico has no secrets, by their names. */
export function referringFields(references: References, fields: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const texts = Array.isArray(value) ? value : [value];
    return texts.some((text) => typeof text === 'string' && references.any.test(text)) ? [name] : [];
  });
}

/** A map of secrets with its references as secret URIs. Values that are no map are left to the check of the whole. */
export function resolveMap(references: References, map: unknown): unknown {
  if (!isRecord(map)) return map ?? undefined;
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, resolveValue(references, value)]));
}

function resolveValue(references: References, value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const name = typeof value === 'string' ? references.variable.exec(value)?.[1] : undefined;
  return name === undefined ? value : `env://${name}`;
}
