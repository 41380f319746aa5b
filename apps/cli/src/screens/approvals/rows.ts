// A ticket as a row: how long it still waits, who wants to run what, its risk, its arguments, and the rule by which it waits.
import { argumentsInRow, riskTags, ruleText, ticketTitleOf } from '@portico/contracts';
import stringWidth from 'string-width';
import { toPlainText } from '../../output/plain-text.js';
import { fit, type Line, line, piece, type Tone } from '../shell/lines.js';
import { type QueueRow, type QueueState, riskKeyOf, type Ticket } from './state.js';

const timeWidth = 8;
/** Width that the arguments have at least: the rule is left out for them. */
const leastForArguments = 16;
const longestTitle = 0.55;

export function toRow({ ticket, isGone }: QueueRow, state: QueueState, columns: number, isChosen: boolean): Line {
  const mark = isChosen ? '> ' : '  ';
  if (isGone) {
    return line(mark, piece(`${fit(endOf(ticket, state.nowMs), timeWidth)}${ticketTitleOf(ticket)}`, 'faint'));
  }
  const titleWidth = widthOfTitles(state, columns);
  const title = toPlainText(ticketTitleOf(ticket));
  const padded = title + ' '.repeat(Math.max(0, titleWidth - stringWidth(title)));
  const risks = sayRisks(ticket, state);
  const before = `${padded}${risks === '' ? '' : `  ${risks}`}${ticket.view.reasked ? '  CHANGED' : ''}  `;
  const args = toPlainText(argumentsInRow(ticket.view.arguments));
  const rule = ticket.rule === undefined ? '' : `  rule ${toPlainText(ruleText(ticket.rule))}`;
  const room = columns - mark.length - timeWidth - stringWidth(before) - stringWidth(rule);
  const hasRoom = room >= Math.min(stringWidth(args), leastForArguments);
  return line(
    mark,
    piece(fit(countdown(ticket, state.nowMs), timeWidth), urgency(ticket, state.nowMs)),
    before,
    hasRoom ? fit(args, Math.min(stringWidth(args), room)) : args,
    piece(hasRoom ? rule : '', 'faint'),
  );
}

/** How a ticket left the queue. */
export function endOf({ expires_at: expires }: Pick<Ticket, 'expires_at'>, nowMs: number): string {
  return expires * 1000 <= nowMs ? 'expired' : 'decided';
}

function widthOfTitles({ tickets }: QueueState, columns: number): number {
  const widths = tickets.map((ticket) => stringWidth(toPlainText(ticketTitleOf(ticket))));
  return Math.min(Math.floor(columns * longestTitle), Math.max(0, ...widths));
}

/** The risk that its tool declares; empty if it declares none, or is not known yet. */
export function sayRisks(ticket: Ticket, { risks }: Pick<QueueState, 'risks'>): string {
  const tags = risks.get(riskKeyOf(ticket)) ?? [];
  return riskTags.filter((tag) => tags.includes(tag)).join(', ');
}

/** Minutes and seconds. */
export function countdown({ expires_at: expires }: Pick<Ticket, 'expires_at'>, nowMs: number): string {
  const left = Math.max(0, expires - Math.floor(nowMs / 1000));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

export function urgency({ expires_at: expires }: Pick<Ticket, 'expires_at'>, nowMs: number): Tone {
  return expires - Math.floor(nowMs / 1000) <= 30 ? 'bad' : 'plain';
}
