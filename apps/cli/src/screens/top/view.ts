// The lines of `top`, for any size of terminal.

import { workingServers } from '@portico/contracts';
import { toTimeOfDay } from '../../output/times.js';
import { blank, type Line, line, page, piece, type Size, wrap } from '../shell/lines.js';
import { layOut } from './layout.js';
import { toSections } from './sections.js';
import type { TopState, TopView } from './state.js';
import { toMs, toRate } from './table.js';
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
    case 'why':
      return toWhyLines(state, state.view, size);
    case 'overview':
    case 'restart':
      return toOverviewLines(state, size);
  }
}

/** The whole overview for a pipe: nothing selected, nothing cut. */
export function toFrame(state: TopState, columns: number): readonly Line[] {
  const sections = toSections({ ...state, selected: null }, columns);
  return [...toHead(state), blank, ...layOut(sections, Number.POSITIVE_INFINITY)];
}

const help: readonly Line[] = [
  line('up, k     the row above          g  the first row'),
  line('down, j   the row below          G  the last row'),
  line('enter     a ticket, why a call ended as it did, the log of a server'),
  line('a         approve the selected ticket; else all that wait'),
  line('r         reject the selected ticket; restart the selected server'),
  line('l         the log of the selected server'),
  line('?         this help'),
  line('q         quit; here, in a log and in an explanation: back'),
  line('Rates and latencies are those of the last ten seconds. A latency is'),
  line('the limit of the bucket that this many calls are within.'),
];

function toOverviewLines(state: TopState, { columns, rows }: Size): readonly Line[] {
  const head = toHead(state);
  const foot = toFoot(state);
  const room = Math.max(1, rows - head.length - foot.length);
  return page(head, layOut(toSections(state, columns), room), foot, rows);
}

function toHead(state: TopState): readonly Line[] {
  const { samples, url, lost } = state;
  const { servers = [], waiting } = samples.at(-1) ?? {};
  const traffic = trafficOf(samples);
  const pending = waiting?.ticketCount ?? 0;
  const first =
    lost === null
      ? line(piece('portico top', 'strong'), ` ${url}`)
      : line(piece('portico top', 'strong'), piece(` NO DAEMON, trying again: ${lost}`, 'bad'));
  return [
    first,
    line(
      `${workingServers(servers).length} of ${servers.length} servers working  `,
      piece(`${pending} waiting for approval`, pending > 0 ? 'warning' : 'plain'),
      `  ${toRate(traffic?.callsPerSecond)} calls/s, ${toRate(traffic?.failedPerSecond)} failed/s`,
      `  p50 ${toMs(traffic?.p50Ms)} p95 ${toMs(traffic?.p95Ms)}`,
    ),
  ];
}

function toFoot({ view, notice }: TopState): readonly Line[] {
  if (view.kind === 'restart') return [line(piece(`restart ${view.server}? y/n`, 'warning'))];
  const keys = line(piece('q quit  enter open  a approve  r reject, restart  l log  ? help', 'faint'));
  return notice === null ? [keys] : [line(piece(notice, 'warning')), keys];
}

function toLogLines(state: TopState, { server, lines, back }: TopView & { kind: 'logs' }, { rows }: Size) {
  const head = [line(piece(`log of ${server}`, 'strong'), state.lost === null ? '' : piece('  NO DAEMON', 'bad'))];
  const foot = [line(piece('up, down scroll  q back', 'faint'))];
  const room = Math.max(0, rows - head.length - foot.length);
  const end = Math.max(Math.min(room, lines.length), lines.length - back);
  const shown = lines.slice(Math.max(0, end - room), end);
  const textLines = shown.map(({ timestamp, text }) => line(piece(`${toTimeOfDay(timestamp) ?? ''} `, 'faint'), text));
  return page(head, textLines.length === 0 ? [line('nothing was written yet')] : textLines, foot, rows);
}

/** Wrapped: an explanation is read to its end. */
function toWhyLines(_state: TopState, { id, lines, from }: TopView & { kind: 'why' }, { columns, rows }: Size) {
  const head = [line(piece(`why ${id} ended as it did`, 'strong'))];
  const foot = [line(piece('up, down scroll  q back', 'faint'))];
  const textLines = (lines ?? ['looking …'])
    .slice(from)
    .flatMap((text) => wrap(text, columns).map((part) => line(part)));
  return page(head, textLines, foot, rows);
}
