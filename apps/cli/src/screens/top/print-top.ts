// The whole overview once, for pipes: text, or JSON lines.
import { setTimeout as sleep } from 'node:timers/promises';
import { toPlainJson } from '../../output/plain-text.js';
import { fit } from '../shell/lines.js';
import { type Need, rowsOf } from './rows.js';
import { startTop, type TopState } from './state.js';
import { type TopClient, takeCalls, takeSample } from './take-sample.js';
import { type Sample, trafficOf } from './traffic.js';
import { toFrame } from './view.js';

const betweenMs = 250;

/** From two samples some time apart, since rates are differences. */
export async function takeOnce(client: TopClient, url: string): Promise<TopState> {
  const first = await takeSample(client, () => performance.now());
  await sleep(betweenMs);
  const [second, activity] = await Promise.all([takeSample(client, () => performance.now()), takeCalls(client)]);
  return { ...startTop(url, second, activity?.calls ?? null, Date.now()), samples: [first, second] };
}

/** @param columns of the terminal; without them nothing is cut */
export function toText(state: TopState, columns = Number.POSITIVE_INFINITY): string {
  const lines = toFrame(state, columns).map(({ pieces }) =>
    pieces
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
  return `${lines.map((text) => cutTo(text, columns)).join('\n')}\n`;
}

function cutTo(text: string, columns: number): string {
  return columns === Number.POSITIVE_INFINITY ? text : fit(text, columns).trimEnd();
}

/** A line for the whole, then one for each need, call and server, in the order of the screen. */
export function toJsonLines(state: TopState): string {
  const { samples, calls } = state;
  const { servers = [], waiting } = samples.at(-1) ?? {};
  const { needs } = rowsOf(state);
  const records = [
    { kind: 'total', servers: servers.length, approvals_pending: waiting?.ticketCount ?? 0, ...wire(samples) },
    ...needs.map(toNeedRecord),
    ...(calls ?? []).map((call) => ({ kind: 'call', ...call })),
    ...servers.map((server) => ({ kind: 'server', ...server, ...wire(samples, server.id) })),
  ];
  return records.map((record) => `${toPlainJson(record)}\n`).join('');
}

/** @returns what is needed, and the id that its command takes */
function toNeedRecord(need: Need) {
  switch (need.kind) {
    case 'ticket': {
      const { id, capability_id, client, rule, expires_at } = need.ticket;
      return { kind: 'need', need: 'approval', id, capability_id, client, rule, expires_at };
    }
    case 'question': {
      const { task_id: id, capability_id, client } = need.task;
      return { kind: 'need', need: 'question', id, capability_id, client };
    }
    case 'request': {
      const { id, server_id, expires_at } = need.request;
      return { kind: 'need', need: 'sampling', id, server_id, expires_at };
    }
    case 'login':
    case 'crash':
      return { kind: 'need', need: need.kind, id: need.server.id };
    case 'held': {
      const { id, held, wholly_held } = need.held;
      return { kind: 'need', need: 'held', id, held, wholly_held };
    }
    case 'lock':
      return { kind: 'need', need: 'lock', fault: need.fault };
  }
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
