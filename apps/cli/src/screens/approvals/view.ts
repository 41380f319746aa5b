// The lines of `approvals watch`, for any size of terminal: the view that every channel shows, wrapped and never cut.
import { argumentLines, changeLines, ruleText, ticketTitleOf } from '@portico/contracts';
import { around, blank, type Line, line, page, piece, type Size, selected, type Tone, wrap } from '../shell/lines.js';
import { countdown, endOf, sayRisks, toRow, urgency } from './rows.js';
import { isSettled, isShownWhole, type QueueMode, type QueueState, rowsOf, selectedRow, type Ticket } from './state.js';

export function toQueueLines(state: QueueState, size: Size): readonly Line[] {
  const below = linesBelow(state, size);
  const isUnseen = below > 0 && state.mode.kind === 'approve' && isShownWhole(state, state.mode);
  const foot = isUnseen ? [toBelow(below)] : toFoot(state);
  const shown = toScrolled(state, size);
  if (shown === undefined) return toList(state, foot, size);
  const { ticket, body, scroll } = shown;
  return page([...toHead(state), ...toTitle(state, ticket, size.columns)], body.slice(scroll), foot, size.rows);
}

/** Lines of the ticket that is shown which are below the screen: who approves it has not seen them. */
export function linesBelow(state: QueueState, size: Size): number {
  const shown = toScrolled(state, size);
  return shown === undefined ? 0 : shown.body.length - shown.room - shown.scroll;
}

interface Scrolled {
  readonly ticket: Ticket;
  readonly body: readonly Line[];
  /** Lines of it that find room. */
  readonly room: number;
  readonly scroll: number;
}

/** Undefined if the queue is shown. */
function toScrolled(state: QueueState, size: Size): Scrolled | undefined {
  const { mode, tickets } = state;
  const ticket = 'id' in mode ? tickets.find(({ id }) => id === mode.id) : selectedRow(state)?.ticket;
  if (mode.kind === 'queue' || ticket === undefined) return undefined;
  const body =
    mode.kind === 'approve' && mode.edited !== null ? toDiff(mode.edited.diff) : toBody(ticket, size.columns);
  const taken = toHead(state).length + toTitle(state, ticket, size.columns).length + toFoot(state).length;
  const room = Math.max(1, size.rows - taken - 1);
  return { ticket, body, room, scroll: Math.min(state.scroll, Math.max(0, body.length - room)) };
}

function toBelow(lines: number): Line {
  return line(
    piece(`${lines} more lines below: down, page down to see them before you approve; n back, e edit`, 'warning'),
  );
}

function toHead({ operator, tickets, lost }: QueueState): readonly Line[] {
  if (lost !== null) return [line(piece('approvals', 'strong'), piece(` NO DAEMON, trying again: ${lost}`, 'bad'))];
  return [line(piece('approvals', 'strong'), ` ${tickets.length} pending, deciding as ${operator}`)];
}

function toList(state: QueueState, foot: readonly Line[], { columns, rows }: Size): readonly Line[] {
  const all = rowsOf(state);
  const table = all.map((row) => {
    const isChosen = row.ticket.id === state.selected && isSettled(state);
    return selected(toRow(row, state, columns, isChosen), isChosen);
  });
  const head = toHead(state);
  const none = state.tickets.length === 0 ? [line('  nothing waits for a decision')] : [];
  const at = all.findIndex(({ ticket }) => ticket.id === state.selected);
  const visible = around(table, at, Math.max(1, rows - head.length - none.length - foot.length));
  const outcomes = state.outcomes.map((text) => line(`  ${text}`));
  const past = outcomes.length === 0 ? [] : [blank, line(piece('  OUTCOMES', 'faint')), ...outcomes];
  return page(head, [...none, ...visible, ...past], foot, rows);
}

/** Wrapped: a long name of an agent does not push what it wants to run out of sight. */
function toTitle(state: QueueState, ticket: Ticket, columns: number): readonly Line[] {
  const { id, client, channel, rule } = ticket;
  const isGone = state.gone?.ticket.id === id;
  const end = isGone ? endOf(ticket, state.nowMs) : `expires in ${countdown(ticket, state.nowMs)}`;
  const left = piece(end, urgency(ticket, state.nowMs));
  const version = client?.version === undefined ? '' : ` ${client.version}`;
  const from = [client === undefined ? undefined : `${client.name}${version}`, channel].filter(
    (each) => each !== undefined,
  );
  const facts = [
    sayRisks(ticket, state),
    rule === undefined ? '' : `rule ${ruleText(rule)}`,
    from.length === 0 ? '' : `asked by ${from.join(' over ')}`,
  ].filter((each) => each !== '');
  return [
    ...wrap(ticketTitleOf(ticket), columns).map((text) => line(piece(text, 'strong'))),
    line(`${id}  `, left),
    ...wrap(facts.join(', '), columns).map((text) => line(piece(text, 'faint'))),
  ];
}

/** Texts are quoted, so that no line of them looks like one of the screen. */
function toBody({ view }: Ticket, columns: number): readonly Line[] {
  const wrapped = (texts: readonly string[], tone: Tone) =>
    texts.flatMap((text) => wrap(text, columns)).map((text) => line(piece(text, tone)));
  const description = view.description === null ? [] : [`description: ${view.description}`];
  return [
    ...wrapped(changeLines(view), 'warning'),
    ...wrapped(description, 'faint'),
    ...wrapped(argumentLines(view.arguments), 'plain'),
  ];
}

function toDiff(diff: readonly string[]): readonly Line[] {
  const tones: Readonly<Record<string, Tone>> = { '+': 'good', '-': 'bad' };
  return diff.map((text) => line(piece(text, tones[text[0] ?? ''] ?? 'plain')));
}

function toFoot(state: QueueState): readonly Line[] {
  const { mode } = state;
  const keys = (text: string) => line(piece(text, 'faint'));
  const noticeLines = state.notice === null ? [] : [line(piece(state.notice, 'warning'))];
  switch (mode.kind) {
    case 'queue':
      return [...noticeLines, keys('a approve  r reject  e edit  enter detail  q quit')];
    case 'detail':
      return [...noticeLines, keys('a approve  r reject  e edit  up, down scroll  q back')];
    case 'approve':
      return [line(piece(isShownWhole(state, mode) ? question(mode) : tooLarge(mode), 'warning'))];
    case 'reject':
      return [line(piece('reason (may be empty): ', 'warning'), `${mode.reason}_`), keys('enter reject  escape back')];
    case 'unusable':
      return [line(piece(`not usable: ${mode.problem}`, 'bad')), keys('e edit again  escape leave as it was')];
  }
}

function tooLarge({ id }: QueueMode & { readonly kind: 'approve' }): string {
  return `too large to approve here: use the console, or portico approvals approve ${id}; n back, e edit`;
}

function question({ edited }: QueueMode & { readonly kind: 'approve' }): string {
  if (edited === null) return 'approve and run it as it is? y/n, e edit';
  return 'approve and run it with these changes? y/n, e edit again';
}
