// Prompts under their aliases, or as `<server>__<name>`.
import type { CatalogView, PromptEntry } from '@portico/catalog-core';
import type { JsonObject } from '@portico/contracts';
import { nativeName } from './names.js';

export interface ListedPrompt {
  readonly definition: JsonObject;
  /** Canonical id. */
  readonly id: string;
}

export type PromptTable = ReadonlyMap<string, ListedPrompt>;

/** By name, in the order they are listed. An alias goes before a name that is equal to it. */
export function createPromptTable(view: CatalogView): PromptTable {
  const isAlias = ({ id, canonicalId }: PromptEntry) => id !== canonicalId;
  const aliases = view.prompts.filter(isAlias).map((entry) => [entry.id, entry] as const);
  const others = view.prompts
    .filter((entry) => !isAlias(entry))
    .map((entry) => [nativeName(entry.server, entry.name), entry] as const);
  const table = new Map<string, ListedPrompt>();
  for (const [name, entry] of [...aliases, ...others]) {
    if (!table.has(name)) table.set(name, { definition: definitionOf(name, entry), id: entry.canonicalId });
  }
  return table;
}

function definitionOf(name: string, { definition, item }: PromptEntry): JsonObject {
  const described = item.description == null ? {} : { description: item.description };
  return { ...definition, name, ...described } as JsonObject;
}
