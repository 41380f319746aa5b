// The selectable rows of `top`, in the order of the console's Overview: items that need a person, the last calls, the
// servers.
import {
  bySoonest,
  hasCrashed,
  type LockNeeds,
  type RecentCall,
  type ServerInfo,
  type ShownSamplingTicket,
  type TaskRecord,
  worstFirst,
} from '@portico/contracts';
import type { Ticket } from '../approvals/state.js';
import type { Sample } from './traffic.js';

export type Need =
  | { readonly kind: 'ticket'; readonly ticket: Ticket }
  | { readonly kind: 'question'; readonly task: TaskRecord }
  | { readonly kind: 'request'; readonly request: ShownSamplingTicket }
  | { readonly kind: 'login' | 'crash'; readonly server: ServerInfo }
  | { readonly kind: 'held'; readonly held: LockNeeds['held'][number] }
  | { readonly kind: 'lock'; readonly fault: string };

export type TopRow = { readonly key: string } & (
  | Need
  | { readonly kind: 'call'; readonly call: RecentCall }
  | { readonly kind: 'server'; readonly server: ServerInfo }
);

/** The part of the state that rows are made of. */
export interface Selectable {
  readonly samples: readonly Sample[];
  readonly calls: readonly RecentCall[] | null;
  /** Key of a row. */
  readonly selected: string | null;
}

export interface Rows {
  readonly needs: readonly (TopRow & Need)[];
  readonly calls: readonly (TopRow & { readonly kind: 'call' })[];
  readonly servers: readonly (TopRow & { readonly kind: 'server' })[];
}

export function rowsOf({ samples, calls }: Pick<Selectable, 'samples' | 'calls'>): Rows {
  const { servers = [], waiting } = samples.at(-1) ?? {};
  const ofServers = (kind: 'login' | 'crash', those: readonly ServerInfo[]) =>
    those.map((server) => ({ key: `${kind} ${server.id}`, kind, server }));
  const { fault, held = [] } = waiting?.lock ?? {};
  return {
    needs: [
      ...(fault === undefined ? [] : [{ key: 'lock', kind: 'lock' as const, fault }]),
      ...bySoonest(waiting?.tickets ?? []).map((ticket) => ({
        key: `ticket ${ticket.id}`,
        kind: 'ticket' as const,
        ticket,
      })),
      ...(waiting?.questions ?? []).map((task) => ({
        key: `question ${task.task_id}`,
        kind: 'question' as const,
        task,
      })),
      ...bySoonest(waiting?.requests ?? []).map((request) => ({
        key: `request ${request.id}`,
        kind: 'request' as const,
        request,
      })),
      ...ofServers(
        'login',
        servers.filter(({ login_url: login }) => login !== undefined),
      ),
      ...ofServers('crash', servers.filter(hasCrashed)),
      ...held.map((each) => ({ key: `held ${each.id}`, kind: 'held' as const, held: each })),
    ],
    calls: (calls ?? []).map((call) => ({ key: `call ${call.id}`, kind: 'call' as const, call })),
    servers: worstFirst(servers).map((server) => ({ key: serverKey(server.id), kind: 'server' as const, server })),
  };
}

export function serverKey(id: string): string {
  return `server ${id}`;
}

/** Undefined if the selected row no longer exists: the selection never passes to another by itself. */
export function selectedRow(state: Selectable): TopRow | undefined {
  return inOrder(rowsOf(state)).find(({ key }) => key === state.selected);
}

/**
 * @returns key of the row that many rows further; of the first or last one from an end, and from a row that no longer
 * exists
 */
export function rowFrom(state: Selectable, by: number): string | null {
  const keys = inOrder(rowsOf(state)).map(({ key }) => key);
  const at = keys.indexOf(state.selected ?? '');
  if (at === -1) return keys[0] ?? null;
  return keys[Math.min(Math.max(0, at + by), keys.length - 1)] ?? null;
}

function inOrder({ needs, calls, servers }: Rows): readonly TopRow[] {
  return [...needs, ...calls, ...servers];
}
