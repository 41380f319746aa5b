// The servers as a table. Columns that a narrow terminal has no room for are left out, the least important first.
import { type ServerInfo, shownCircuit, shownStatus } from '@portico/contracts';
import type { Tone } from '../shell/lines.js';
import { type Sample, trafficOf } from './traffic.js';

export interface Column {
  readonly title: string;
  readonly width: number;
  readonly cell: (server: ServerInfo, samples: readonly Sample[]) => string;
}

/** Columns that keep their place as servers come and go. */
const narrowestId = 14;

const columns: readonly (Column & { readonly importance: number })[] = [
  { title: 'STATUS', width: 12, importance: 8, cell: shownStatus },
  { title: 'CIRCUIT', width: 9, importance: 7, cell: (server) => shownCircuit(server)?.state ?? '' },
  { title: 'PID', width: 8, importance: 4, cell: ({ pid }) => (pid === undefined ? '-' : String(pid)) },
  { title: 'RUN', width: 4, importance: 5, cell: ({ running }) => String(running) },
  { title: 'QUEUE', width: 5, importance: 5, cell: ({ queued }) => String(queued) },
  { title: 'RESTARTS', width: 8, importance: 6, cell: ({ restarts, reconnects }) => String(reconnects ?? restarts) },
  { title: 'TOOLS', width: 5, importance: 1, cell: ({ tools }) => String(tools) },
  { title: 'CALLS/S', width: 7, importance: 3, cell: ({ id }, all) => toRate(trafficOf(all, id)?.callsPerSecond) },
  { title: 'P50', width: 7, importance: 2, cell: ({ id }, all) => toMs(trafficOf(all, id)?.p50Ms) },
  { title: 'P95', width: 7, importance: 2, cell: ({ id }, all) => toMs(trafficOf(all, id)?.p95Ms) },
];

/** Ids are shown whole; then those that fit, each with a space behind, in their order. */
export function columnsFor(width: number, servers: readonly Pick<ServerInfo, 'id'>[]): readonly Column[] {
  const ids = Math.max(narrowestId, ...servers.map(({ id }) => id.length));
  const first: Column = { title: 'SERVER', width: ids, cell: ({ id }) => id };
  let left = width - ids - 1;
  const kept = new Set<Column>();
  for (const column of [...columns].sort((a, b) => b.importance - a.importance)) {
    if (column.width + 1 > left) break;
    left -= column.width + 1;
    kept.add(column);
  }
  return [first, ...columns.filter((column) => kept.has(column))];
}

export function toneOf({ status, circuit }: ServerInfo): Tone {
  if (status === 'disabled' || circuit.state === 'open') return 'bad';
  return status === 'connected' ? 'good' : 'warning';
}

export function toRate(perSecond: number | null | undefined): string {
  return perSecond == null ? '-' : perSecond.toFixed(1);
}

/** Buckets have limits: beyond the last one nothing is known. */
export function toMs(ms: number | null | undefined): string {
  if (ms == null) return '-';
  if (ms === Number.POSITIVE_INFINITY) return '>60s';
  return ms >= 1000 ? `≤${ms / 1000}s` : `≤${ms}ms`;
}
