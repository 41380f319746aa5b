// The lines of `top`, for any size of terminal.

import { sayAgent, sayDuration } from '../../activity/columns.js';
import { toTimeOfDay } from '../../output/times.js';
import { around, blank, fit, type Line, line, page, piece, type Size, selected } from '../shell/lines.js';
import { selectedServer, type TopState, type TopView } from './state.js';
import { columnsFor, toMs, toneOf, toRate } from './table.js';
import { trafficOf } from './traffic.js';

export function toTopLines(state: TopState, size: Size): readonly Line[] {
  switch (state.view.kind) {
    case 'help':
      return page(
        [line(piece('portico top: keys', 'strong')), blank],
        help,
        [line('any key goes back, Ctrl-C quits')],
        size.rows,
      );
    case 'logs':
      return toLogLines(state, state.view, size);
    case 'servers':
    case 'restart':
      return toServerLines(state, size);
  }
}

const help: readonly Line[] = [
  line('up, k     the server above'),
  line('down, j   the server below'),
  line('r         restart the selected server'),
  line('l, enter  its log'),
  line('a         approvals'),
  line('?         this help'),
  line('q         quit; here and in a log: back'),
  line('Rates and latencies are those of the last ten seconds. A latency is'),
  line('the limit of the bucket that so many calls are within.'),
];

function toServerLines(state: TopState, { columns, rows }: Size): readonly Line[] {
  const servers = state.samples.at(-1)?.servers ?? [];
  const chosen = selectedServer(state);
  const shown = columnsFor(columns - 2, servers);
  const head = [
    ...toHead(state),
    line(piece(`  ${shown.map(({ title, width }) => fit(title, width)).join(' ')}`, 'faint')),
  ];
  const table = servers.map((server) => {
    const isChosen = server.id === chosen;
    const cells = shown.map(({ title, width, cell }) =>
      piece(`${fit(cell(server, state.samples), width)} `, title === 'STATUS' ? toneOf(server) : 'plain'),
    );
    return selected(line(isChosen ? '> ' : '  ', ...cells), isChosen);
  });
  const foot = toFoot(state);
  const error = servers.find(({ id }) => id === chosen)?.last_error;
  const told = error === undefined ? [] : [line(piece(`  last error: ${error}`, 'warning'))];
  const room = Math.max(1, rows - head.length - foot.length - told.length);
  const at = servers.findIndex(({ id }) => id === chosen);
  const visible = around(table, at, room);
  const changes = state.changes.map(({ at: time, text }) => line(piece(`  ${time} `, 'faint'), text));
  const recent = changes.length === 0 ? [] : [blank, line(piece('  RECENT CHANGES', 'faint')), ...changes];
  const none = line('  no servers are configured; add one with: portico server add');
  return page(
    head,
    [...(visible.length === 0 ? [none] : visible), ...told, ...toCallLines(state), ...recent],
    foot,
    rows,
  );
}

/** Ids that are longer than a column go on beyond it: none is cut here. */
function toCallLines({ samples }: TopState): readonly Line[] {
  const calls = samples.at(-1)?.calls ?? [];
  if (calls.length === 0) return [];
  const rows = calls.map((call) =>
    line(
      piece(`  ${toTimeOfDay(call.timestamp) ?? ''} `, 'faint'),
      `${fit(sayAgent(call) ?? '-', 24)} ${call.capability_id ?? call.server_id ?? '-'} `,
      piece(call.error_code ?? call.status, call.status === 'success' ? 'plain' : 'warning'),
      ` ${sayDuration(call.duration_us) ?? ''}`,
    ),
  );
  return [blank, line(piece('  LAST CALLS', 'faint')), ...rows];
}

function toHead(state: TopState): readonly Line[] {
  const { samples, url, lost } = state;
  const servers = samples.at(-1)?.servers ?? [];
  const connected = servers.filter(({ status }) => status === 'connected').length;
  const traffic = trafficOf(samples);
  const pending = samples.at(-1)?.approvalsPending ?? 0;
  const first =
    lost === null
      ? line(piece('portico top', 'strong'), ` ${url}`)
      : line(piece('portico top', 'strong'), piece(` NO DAEMON, trying again: ${lost}`, 'bad'));
  return [
    first,
    line(
      `${connected}/${servers.length} connected  `,
      piece(`${pending} approvals pending`, pending > 0 ? 'warning' : 'plain'),
      `  ${toRate(traffic?.callsPerSecond)} calls/s, ${toRate(traffic?.failedPerSecond)} failed/s`,
      `  p50 ${toMs(traffic?.p50Ms)} p95 ${toMs(traffic?.p95Ms)}`,
    ),
  ];
}

function toFoot({ view, notice }: TopState): readonly Line[] {
  if (view.kind === 'restart') return [line(piece(`restart ${view.server}? y/n`, 'warning'))];
  const keys = line(piece('q quit  r restart  l log  a approvals  ? help', 'faint'));
  return notice === null ? [keys] : [line(piece(notice, 'warning')), keys];
}

function toLogLines(state: TopState, { server, lines, back }: TopView & { kind: 'logs' }, { rows }: Size) {
  const head = [line(piece(`log of ${server}`, 'strong'), state.lost === null ? '' : piece('  NO DAEMON', 'bad'))];
  const foot = [line(piece('up, down scroll  q back', 'faint'))];
  const room = Math.max(0, rows - head.length - foot.length);
  const end = Math.max(Math.min(room, lines.length), lines.length - back);
  const shown = lines.slice(Math.max(0, end - room), end);
  const told = shown.map(({ timestamp, text }) => line(piece(`${toTimeOfDay(timestamp) ?? ''} `, 'faint'), text));
  return page(head, told.length === 0 ? [line('nothing was written yet')] : told, foot, rows);
}
