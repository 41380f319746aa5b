// The rows of the catalog: what is listed, and what policy hides, with its state and its calls. Only computations.
import type { Answers } from '@portico/client';
import type { DayUsage, Effect, Usage, Verdict, Verdicts } from './shapes.js';

type Tool = Answers['listCapabilities']['capabilities'][number];

export interface ToolRow {
  readonly id: string;
  readonly server: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly verdict: Verdict | undefined;
  readonly usage: Usage | undefined;
}

export function toRows(
  tools: readonly Tool[],
  verdicts: Verdicts | undefined,
  usage: DayUsage | undefined,
): readonly ToolRow[] {
  const listed = new Set(tools.map(({ id }) => id));
  const hidden = (verdicts?.tools ?? []).filter(({ id }) => !listed.has(id));
  const rest = (id: string) => ({ verdict: verdicts?.byId.get(id), usage: usage?.byId.get(id) });
  return [
    ...tools.map(({ id, server, summary, tags }) => ({ id, server, summary, tags, ...rest(id) })),
    ...hidden.map(({ id }) => ({ id, server: id.split('.')[0] ?? '', summary: '', tags: [], ...rest(id) })),
  ];
}

export function effectOf({ verdict }: Pick<ToolRow, 'verdict'>): Effect {
  return verdict?.effect ?? 'runs';
}

const order: readonly Effect[] = ['denied', 'waits_for_approval', 'not_found', 'runs'];

/** Sorts the most restricted tools first. */
export function byEffect(a: ToolRow, b: ToolRow): number {
  return order.indexOf(effectOf(a)) - order.indexOf(effectOf(b));
}

/** Most first. */
export function byCount(name: 'calls' | 'failed' | 'refused'): (a: ToolRow, b: ToolRow) => number {
  return (a, b) => (b.usage?.[name] ?? 0) - (a.usage?.[name] ?? 0);
}

/** The latest first, and what was never called last. */
export function byLast(a: ToolRow, b: ToolRow): number {
  return (b.usage?.last ?? '').localeCompare(a.usage?.last ?? '');
}
