// Which of MCP's lists a change of the catalog touches.
import type { Catalog } from '@portico/catalog-core';
import type { ControlPlane } from '@portico/control-plane';

export const listKinds = ['tools', 'resources', 'prompts'] as const;
export type ListKind = (typeof listKinds)[number];

/** Compares the catalog with what it was when it was last asked. */
export function createListComparison(plane: ControlPlane): () => readonly ListKind[] {
  let known = contentOf(plane.state().catalog);
  return () => {
    const now = contentOf(plane.state().catalog);
    const before = known;
    known = now;
    return listKinds.filter((kind) => now[kind] !== before[kind]);
  };
}

/** Digests cover the whole definition and the alias, `passthrough` included. */
function contentOf({ capabilities, resources, prompts }: Catalog): Readonly<Record<ListKind, string>> {
  const textOf = (entries: readonly { readonly digest: string }[]) => entries.map(({ digest }) => digest).join();
  return { tools: textOf(capabilities), resources: textOf(resources), prompts: textOf(prompts) };
}
