// A list of a JSON text given other items: those that stay are not touched, nor is what is written beside them.
import type { JsonValue } from '@portico/contracts';
import { type Edit, getNodeValue, type Node } from 'jsonc-parser';
import { insertItem, removeProperty, replaceValue } from './edit-properties.js';
import type { Layout } from './text-layout.js';

/** Changes items in place, and adds or removes one beside them; any other change rewrites the list. */
export function editList(text: string, layout: Layout, list: Node, value: readonly JsonValue[]): Edit[] {
  const items = list.children ?? [];
  const stored = items.map((item) => JSON.stringify(getNodeValue(item)));
  const wanted = value.map((item) => JSON.stringify(item));
  const atStart = commonLength(stored, wanted);
  const atEnd = Math.min(
    commonLength([...stored].reverse(), [...wanted].reverse()),
    items.length - atStart,
    value.length - atStart,
  );
  const old = items.slice(atStart, items.length - atEnd);
  const next = value.slice(atStart, value.length - atEnd);
  const more = next.length - old.length;
  const isSmall = items.length > 0 && value.length > 0 && (more === 0 || more === -1 || (more === 1 && atEnd === 0));
  if (!isSmall) return [replaceValue(text, layout, list, [...value])];
  const changed = old.slice(0, next.length).map((item, at) => replaceValue(text, layout, item, next[at] ?? null));
  const left = old[next.length];
  const added = next[old.length];
  return [
    ...changed,
    ...(left === undefined ? [] : removeProperty(text, left)),
    ...(added === undefined ? [] : insertItem(text, layout, list, added)),
  ];
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((item, index) => item !== b[index]);
  return at === -1 ? Math.min(a.length, b.length) : at;
}
