// The lines of `approvals watch`, for any size of terminal: the view that every channel shows, wrapped and never cut.
import { argumentLines, changeLines } from '@portico/contracts';
import stringWidth from 'string-width';
import { argumentsInLine } from '../../approvals/show.js';
import { toPlainText } from '../../output/plain-text.js';
import {
  around,
  blank,
  fit,
  type Line,
  line,
  page,
  piece,
  type Size,
  selected,
  type Tone,
  wrap,
} from '../shell/lines.js';
import { isShownWhole, type QueueMode, type QueueState, selectedTicket, type Ticket } from './state.js';

export function toQueueLines(state: QueueState, size: Size): readonly Line[] {
  const below = linesBelow(state, size);
  const isUnseen = below > 0 && state.mode.kind === 'approve' && isShownWhole(state, state.mode);
  const foot = isUnseen ? [toBelow(below)] : toFoot(state);
  const shown = toScrolled(state, size);
  if (shown === undefined) return toList(state, foot, size);
  const { ticket, body, scroll } = shown;
  return page([...toHead(state), ...toTitle(ticket, state.nowSecs)], body.slice(scroll), foot, size.rows);
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

/** Undefined where the queue is shown. */
function toScrolled(state: QueueState, size: Size): Scrolled | undefined {
  const { mode, tickets } = state;
  const ticket = 'id' in mode ? tickets.find(({ id }) => id === mode.id) : selectedTicket(state);
  if (mode.kind === 'queue' || ticket === undefined) return undefined;
  const body =
    mode.kind === 'approve' && mode.edited !== null ? toDiff(mode.edited.diff) : toBody(ticket, size.columns);
  const room = Math.max(1, size.rows - toFoot(state).length - 4);
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

function toList(state: QueueState, foot: readonly Line[], { rows }: Size): readonly Line[] {
  const chosen = selectedTicket(state);
  const widest = Math.max(0, ...state.tickets.map(({ capability_id }) => stringWidth(toPlainText(capability_id))));
  const table = state.tickets.map((ticket) => {
    const isChosen = ticket.id === chosen?.id;
    const left = countdown(ticket, state.nowSecs);
    const args = toSummary(ticket);
    return selected(
      line(
        isChosen ? '> ' : '  ',
        piece(fit(left, 6), urgency(ticket, state.nowSecs)),
        fit(ticket.capability_id, widest),
        ' ',
        args,
      ),
      isChosen,
    );
  });
  const head = toHead(state);
  const at = state.tickets.findIndex(({ id }) => id === chosen?.id);
  const visible = around(table, at, Math.max(1, rows - head.length - foot.length));
  const outcomes = state.outcomes.map((text) => line(`  ${text}`));
  const past = outcomes.length === 0 ? [] : [blank, line(piece('  WHAT BECAME OF TICKETS', 'faint')), ...outcomes];
  const none = line('  nothing waits for a decision');
  return page(head, [...(visible.length === 0 ? [none] : visible), ...past], foot, rows);
}

function toTitle(ticket: Ticket, nowSecs: number): readonly Line[] {
  const left = piece(`expires in ${countdown(ticket, nowSecs)}`, urgency(ticket, nowSecs));
  return [
    line(piece(ticket.capability_id, 'strong'), ` (${ticket.kind} of ${ticket.server_id})`),
    line(`${ticket.id}  `, left),
  ];
}

/** What is beyond the first level is for the next screen, where the decision is made. */
function toSummary({ view }: Ticket): string {
  return `${view.reasked ? 'CHANGED ' : ''}${argumentsInLine(view)}`;
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
  switch (mode.kind) {
    case 'queue':
      return [keys('a approve  r reject  e edit  enter detail  q quit')];
    case 'detail':
      return [keys('a approve  r reject  e edit  up, down scroll  q back')];
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

/** Minutes and seconds. */
export function countdown({ expires_at }: Ticket, nowSecs: number): string {
  const left = Math.max(0, expires_at - nowSecs);
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

function urgency({ expires_at }: Ticket, nowSecs: number): Tone {
  return expires_at - nowSecs <= 30 ? 'bad' : 'plain';
}
