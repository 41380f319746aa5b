// Suggestions for an unknown id, from the ids that the caller may see. Each id of the view costs a few comparisons;
// only some are compared character by character, so that a catalog of ten thousand delays no call.
import type { CatalogView } from '@portico/catalog-core';
import { editsBetween } from '@portico/contracts';

const maxNear = 3;
const maxLength = 128;
/** Ids that are compared character by character at most. */
const maxCompared = 200;

/** One spelling for what agents confuse: `__` and `.`, `-` and `_`, upper and lower case. */
const spelt = (id: string) => id.toLowerCase().replaceAll('__', '.').replaceAll('-', '_');

/** At most three, the nearest first; equal ones in the order of the catalog. */
export function nearIds({ capabilities }: Pick<CatalogView, 'capabilities'>, id: string): readonly string[] {
  if (id === '' || id.length > maxLength) return [];
  const wanted = spelt(id);
  const tool = wanted.slice(wanted.indexOf('.') + 1);
  const mostEdits = Math.max(1, Math.floor(wanted.length / 3));
  const found: { readonly id: string; readonly edits: number }[] = [];
  let compared = 0;
  for (const entry of capabilities) {
    const isSameTool = entry.tool.length === tool.length && spelt(entry.tool) === tool;
    if (isSameTool) found.push({ id: entry.id, edits: spelt(entry.id) === wanted ? 0 : 1 });
    if (isSameTool || compared >= maxCompared || !mayBeNear(entry.id, id, mostEdits)) continue;
    compared += 1;
    const edits = editsBetween(wanted, spelt(entry.id));
    if (edits <= mostEdits) found.push({ id: entry.id, edits });
  }
  return found
    .sort((a, b) => a.edits - b.edits)
    .slice(0, maxNear)
    .map((near) => near.id);
}

/** Whether lengths are similar, and one end is equal. */
function mayBeNear(one: string, other: string, mostEdits: number): boolean {
  if (Math.abs(one.length - other.length) > mostEdits) return false;
  return one.slice(0, 3) === other.slice(0, 3) || one.slice(-3) === other.slice(-3);
}

/** Undefined without a near id. */
export function nearHint(view: Pick<CatalogView, 'capabilities'> | undefined, id: string): string | undefined {
  const near = view === undefined ? [] : nearIds(view, id);
  return near.length === 0 ? undefined : `did you mean ${near.map((each) => JSON.stringify(each)).join(' or ')}?`;
}
