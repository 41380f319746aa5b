// The metrics of the control plane: its servers, their queues and circuits, the tickets and the catalog.
import type { Catalog } from '@portico/catalog-core';
import { type ServerInfo, serverStatuses } from '@portico/contracts';
import type { ObservedMetric, PlaneMetrics, Reading } from './metrics.js';
import type { RuleHits } from './rule-hits.js';

export interface ObservedPlane {
  readonly servers: () => readonly ServerInfo[];
  readonly pendingApprovals: () => number;
  readonly catalog: () => Catalog;
  readonly shadowTotals: RuleHits['shadowTotals'];
}

const circuitValues: Readonly<Record<ServerInfo['circuit']['state'], number>> = { closed: 0, half_open: 1, open: 2 };

export function observePlane(
  metrics: PlaneMetrics,
  { servers, pendingApprovals, catalog, shadowTotals }: ObservedPlane,
): void {
  const byServer = (
    type: ObservedMetric['type'],
    name: string,
    help: string,
    pick: (server: ServerInfo) => number,
  ): void => {
    const read = () => servers().map((server) => ({ labels: { server: server.id }, value: pick(server) }));
    metrics.observe({ type, name, help, labels: ['server'], read });
  };
  byServer('gauge', 'portico_circuit_state', 'Circuit of a server: 0 closed, 1 half open, 2 open', ({ circuit }) => {
    return circuitValues[circuit.state];
  });
  byServer('gauge', 'portico_queue_depth', 'Calls that wait for a place at a server', ({ queued }) => queued);
  byServer('gauge', 'portico_calls_running', 'Calls that are at a server', ({ running }) => running);
  byServer(
    'counter',
    'portico_server_restarts_total',
    'Reconnects',
    ({ restarts, reconnects = 0 }) => restarts + reconnects,
  );
  metrics.observe({
    type: 'gauge',
    name: 'portico_server_status',
    help: '1 for the status that a server has, 0 for the others',
    labels: ['server', 'status'],
    read: () => servers().flatMap(statusReadings),
  });
  metrics.observe({
    type: 'gauge',
    name: 'portico_approvals_pending',
    help: 'Tickets that wait for a decision',
    read: pendingApprovals,
  });
  metrics.observe({
    type: 'counter',
    name: 'portico_shadow_hits_total',
    help: 'Calls that ran and that a shadow rule would have refused or held, by what it would have done',
    labels: ['effect'],
    read: () => Object.entries(shadowTotals()).map(([effect, value]) => ({ labels: { effect }, value })),
  });
  metrics.observe({
    type: 'gauge',
    name: 'portico_catalog_entries',
    help: 'Entries that the catalog lists',
    labels: ['kind'],
    read: () => catalogReadings(catalog()),
  });
}

function statusReadings({ id, status }: ServerInfo): readonly Reading[] {
  return serverStatuses.map((known) => ({ labels: { server: id, status: known }, value: known === status ? 1 : 0 }));
}

function catalogReadings({ capabilities, resources, prompts }: Catalog): readonly Reading[] {
  return [
    { labels: { kind: 'tool' }, value: capabilities.length },
    { labels: { kind: 'resource' }, value: resources.length },
    { labels: { kind: 'prompt' }, value: prompts.length },
  ];
}
