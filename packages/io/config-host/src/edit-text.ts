// Edits of the text of a configuration file: comments, order, layout and everything that is not edited stay.
import type { ConfigEdit } from '@portico/control-plane';
import { applyEdits, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { editList } from './edit-list.js';
import { insertProperty, removeProperty, replaceValue } from './edit-properties.js';
import { layoutOf } from './text-layout.js';

/** @param content JSON with comments and trailing commas, an object */
export function editText(content: string, edits: readonly ConfigEdit[]): string {
  const mark = content.startsWith('\uFEFF') ? '\uFEFF' : '';
  return mark + edits.reduce(editOnce, content.slice(mark.length));
}

function editOnce(text: string, { path, value }: ConfigEdit): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree === undefined) return text;
  const found = findNodeAtLocation(tree, [...path]);
  if (value === undefined)
    return found?.parent === undefined ? text : applyEdits(text, removeProperty(text, found.parent));
  const layout = layoutOf(text);
  if (found?.type === 'array' && Array.isArray(value)) return applyEdits(text, editList(text, layout, found, value));
  if (found !== undefined) return applyEdits(text, [replaceValue(text, layout, found, value)]);

  const { node, depth } = deepest(tree, path);
  const [name = '', ...rest] = path.slice(depth);
  if (node.type === 'object') return applyEdits(text, insertProperty(text, layout, node, name, wrapped(rest, value)));
  // Something on the way is no object, such as null: it gives way to what is to be there.
  return applyEdits(text, [replaceValue(text, layout, node, wrapped([name, ...rest], value))]);
}

/** The part of a path that exists, and its length. */
function deepest(tree: Node, path: readonly string[]): { readonly node: Node; readonly depth: number } {
  for (let depth = path.length - 1; depth > 0; depth--) {
    const node = findNodeAtLocation(tree, path.slice(0, depth));
    if (node !== undefined) return { node, depth };
  }
  return { node: tree, depth: 0 };
}

function wrapped(path: readonly string[], value: NonNullable<ConfigEdit['value']> | null): typeof value {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}
