// One sample for pipes: a plain table, or JSON lines.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerInfo } from '@portico/contracts';
import { toPlainJson } from '../../output/plain-text.js';
import { fit } from '../shell/lines.js';
import { columnsFor } from './table.js';
import { type TopClient, takeSample } from './take-sample.js';
import { type Sample, trafficOf } from './traffic.js';

const betweenMs = 250;

/** Two samples a moment apart, since rates are differences. */
export async function takeTwo(client: TopClient): Promise<readonly Sample[]> {
  const first = await takeSample(client, () => performance.now());
  await sleep(betweenMs);
  return [first, await takeSample(client, () => performance.now())];
}

export function toTable(samples: readonly Sample[]): string {
  const servers = samples.at(-1)?.servers ?? [];
  const columns = columnsFor(Number.POSITIVE_INFINITY, servers);
  const cells = servers.map((server) => columns.map(({ cell }) => cell(server, samples)));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => (row[at] ?? '').length)));
  const toRow = (row: readonly string[], last: string) =>
    [...row.map((text, at) => fit(text, widths[at] ?? 0)), last].join('  ').trimEnd();
  const rows = servers.map((server, at) => toRow(cells[at] ?? [], plainError(server)));
  return `${[
    toRow(
      columns.map(({ title }) => title),
      'LAST ERROR',
    ),
    ...rows,
  ].join('\n')}\n`;
}

/** A line for the whole, then one for each server. */
export function toJsonLines(samples: readonly Sample[]): string {
  const { servers = [], approvalsPending = 0 } = samples.at(-1) ?? {};
  const total = { kind: 'total', servers: servers.length, approvals_pending: approvalsPending, ...wire(samples) };
  const each = servers.map((server) => ({ kind: 'server', ...server, ...wire(samples, server.id) }));
  return [total, ...each].map((record) => `${toPlainJson(record)}\n`).join('');
}

/** Beyond the last bucket nothing is known, and JSON has no infinity: null. */
function wire(samples: readonly Sample[], server?: string) {
  const traffic = trafficOf(samples, server);
  const finite = (ms: number | null | undefined) => (ms != null && Number.isFinite(ms) ? ms : null);
  return {
    calls_per_second: traffic?.callsPerSecond ?? null,
    failed_per_second: traffic?.failedPerSecond ?? null,
    p50_ms: finite(traffic?.p50Ms),
    p95_ms: finite(traffic?.p95Ms),
  };
}

function plainError({ last_error }: ServerInfo): string {
  return last_error === undefined ? '' : fit(last_error, 60).trimEnd();
}
