// The parts of `top` as lines: needs, calls and servers, in the words of the console.
import {
  argumentsInRow,
  crashedText,
  crashReason,
  type EventTone,
  formatAgo,
  formatDuration,
  heldText,
  lockFaultText,
  needDetails,
  needVerbs,
  nothingNeeded,
  questionTitle,
  type RecentCall,
  ruleText,
  ticketTitleOf,
  toEventText,
  workingServers,
} from '@portico/contracts';
import stringWidth from 'string-width';
import { toPlainText } from '../../output/plain-text.js';
import { countdown, urgency } from '../approvals/rows.js';
import { fit, type Line, line, type Piece, piece, selected, type Tone } from '../shell/lines.js';
import { type Need, type Rows, rowsOf } from './rows.js';
import type { TopState } from './state.js';
import { columnsFor, toneOf } from './table.js';

export interface Section {
  /** Empty if the lines need none. */
  readonly title: readonly Line[];
  readonly lines: readonly Line[];
  /** Index of the selected line; -1 where none of this section is. */
  readonly at: number;
  /** Sections with a lower one get lines first where there is little room. */
  readonly rank: number;
}

const ranks = { needs: 0, servers: 1, calls: 2, changes: 3 } as const;

const mark = { chosen: '> ', other: '  ' } as const;

/** @param columns of the terminal; infinite for a pipe, where nothing is cut */
export function toSections(state: TopState, columns: number): readonly Section[] {
  const rows = rowsOf(state);
  return [needsSection(state, rows, columns), callsSection(state, rows, columns), serversSection(state, rows, columns)]
    .concat(changesSection(state))
    .filter(({ title, lines }) => title.length + lines.length > 0);
}

function titled(text: string): readonly Line[] {
  return [line(piece(text, 'faint'))];
}

function needsSection(state: TopState, { needs }: Rows, columns: number): Section {
  if (needs.length === 0) return { title: [], lines: [line(nothingNeeded)], at: -1, rank: ranks.needs };
  const waiting = state.samples.at(-1)?.waiting;
  const more = (waiting?.ticketCount ?? 0) - (waiting?.tickets.length ?? 0);
  return {
    title: titled(`NEEDS YOU (${needs.length + more})`),
    lines: needs.map((need) => toRow(need.key, state, toNeed(need, state.nowMs, columns))),
    at: needs.findIndex(({ key }) => key === state.selected),
    rank: ranks.needs,
  };
}

type Pieces = readonly (string | Piece)[];

function toRow(key: string, { selected: chosen }: TopState, pieces: Pieces): Line {
  const isChosen = key === chosen;
  return selected(line(isChosen ? mark.chosen : mark.other, ...pieces), isChosen);
}

const timeWidth = 8;
const emptyTime = ' '.repeat(timeWidth);

function toNeed(need: Need, nowMs: number, columns: number): Pieces {
  switch (need.kind) {
    case 'ticket': {
      const { ticket } = need;
      const rule = ticket.rule === undefined ? '' : `  rule ${ruleText(ticket.rule)}`;
      const title = `${ticketTitleOf(ticket)}  `;
      const room = columns - 2 - timeWidth - widthOf(title) - widthOf(rule);
      const args = argumentsInRow(ticket.view.arguments);
      const isWide = room >= Math.min(leastForArguments, widthOf(args));
      const time = piece(fit(countdown(ticket, nowMs), timeWidth), urgency(ticket, nowMs));
      return [time, piece(title, 'warning'), isWide ? cutTo(args, room) : args, piece(isWide ? rule : '', 'faint')];
    }
    case 'question':
      return [emptyTime, piece(questionTitle(need.task), 'warning'), piece(`  ${needDetails.question}`, 'faint')];
    case 'request': {
      const time = piece(fit(countdown(need.request, nowMs), timeWidth), urgency(need.request, nowMs));
      const title = `${need.request.server_id} ${needVerbs.request}`;
      return [time, piece(title, 'warning'), piece(`  ${needDetails.request}`, 'faint')];
    }
    case 'login':
      return [emptyTime, piece(`Server ${need.server.id} ${needVerbs.login}`, 'warning')];
    case 'crash':
      return [
        emptyTime,
        piece(`Server ${need.server.id} ${crashedText(need.server)}: `, 'bad'),
        crashReason(need.server),
      ];
    case 'held':
      return [emptyTime, piece(`Server ${need.held.id} ${heldText(need.held)}`, 'warning')];
    case 'lock':
      return [emptyTime, piece(`${lockFaultText}: `, 'bad'), need.fault];
  }
}

const leastForArguments = 12;
const agoWidth = 11;

function callsSection(state: TopState, { calls }: Rows, columns: number): Section {
  if (state.calls === null) return { title: [], lines: [], at: -1, rank: ranks.calls };
  const none = calls.length === 0 ? [line('  Nothing was called yet.')] : [];
  return {
    title: titled('ACTIVITY'),
    lines: [...none, ...calls.map(({ key, call }) => toRow(key, state, toCall(call, state.nowMs, columns)))],
    at: calls.findIndex(({ key }) => key === state.selected),
    rank: ranks.calls,
  };
}

const tones: Readonly<Record<EventTone, Tone>> = {
  neutral: 'plain',
  good: 'plain',
  info: 'plain',
  warn: 'warning',
  bad: 'bad',
};

/**
 * "12 s ago claude-code called files.read_text_file {…} done 4 ms". Where there is no room for all of it the arguments go
 * first, then the duration, letters of the agent's name, the end of the outcome, and the time; never the id.
 */
export function toCall(call: RecentCall, nowMs: number, columns: number): Pieces {
  const { who, verb, what, outcome, tone } = toEventText(call);
  const sentence = ` ${verb} ${what}  `;
  const leastForAgent = Math.min(widthOf(who), shortestAgent);
  let left = columns - mark.other.length - widthOf(sentence) - leastForAgent;
  const least = Math.min(widthOf(outcome), leastForOutcome);
  const ago = left - agoWidth >= least ? fit(formatAgo(Date.parse(call.timestamp), nowMs), agoWidth) : '';
  left -= widthOf(ago);
  const ended = cutTo(outcome, Math.max(least, left));
  left -= widthOf(ended);
  const duration = call.duration_us === undefined ? '' : ` ${formatDuration(call.duration_us / 1000)}`;
  const took = left >= widthOf(duration) ? duration : '';
  left -= widthOf(took);
  const agent = cutTo(who, leastForAgent + Math.max(0, left));
  left -= widthOf(agent) - leastForAgent + 2;
  const args = call.arguments === undefined || call.arguments === '{}' ? '' : call.arguments;
  const shown = args !== '' && left >= leastForArguments ? `${cutTo(args, left)}  ` : '';
  return [piece(ago, 'faint'), agent, sentence, piece(shown, 'faint'), piece(ended, tones[tone]), took];
}

const leastForOutcome = 12;
/** Minimum width of a name that is cut. */
const shortestAgent = 12;

function serversSection(state: TopState, { servers }: Rows, columns: number): Section {
  const infos = servers.map(({ server }) => server);
  if (infos.length === 0) {
    const none = line('  no servers are configured; add one with: portico server add');
    return { title: titled('SERVERS'), lines: [none], at: -1, rank: ranks.servers };
  }
  const shown = columnsFor(columns - 2, infos);
  const heading = line(piece(`  ${shown.map(({ title, width }) => fit(title, width)).join(' ')}`, 'faint'));
  const at = servers.findIndex(({ key }) => key === state.selected);
  const lines = servers.flatMap(({ key, server }) => {
    const cells = shown.map(({ title, width, cell }) =>
      piece(`${fit(cell(server, state.samples), width)} `, title === 'STATUS' ? toneOf(server) : 'plain'),
    );
    const isWhole = columns === Number.POSITIVE_INFINITY;
    const error = server.last_error;
    const beside = isWhole && error !== undefined ? [` ${error}`] : [];
    const below = !isWhole && error !== undefined && key === state.selected;
    return [
      toRow(key, state, [...cells, ...beside]),
      ...(below ? [line(piece(`  last error: ${error}`, 'warning'))] : []),
    ];
  });
  return {
    title: [...titled(`SERVERS: ${workingServers(infos).length} of ${infos.length} working`), heading],
    lines,
    at,
    rank: ranks.servers,
  };
}

function changesSection({ changes }: TopState): Section {
  const lines = changes.map(({ at: time, text }) => line(piece(`  ${time} `, 'faint'), text));
  return { title: lines.length === 0 ? [] : titled('RECENT CHANGES'), lines, at: -1, rank: ranks.changes };
}

function widthOf(text: string): number {
  return stringWidth(toPlainText(text));
}

function cutTo(text: string, columns: number): string {
  const width = widthOf(text);
  return width <= columns ? text : fit(text, Math.max(1, columns));
}
