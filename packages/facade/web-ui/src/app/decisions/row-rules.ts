// Which tickets can be decided in their row. Only computations.
import { argumentLines } from '@portico/contracts';
import type { Ticket } from '../pages/approvals/ticket.js';

/** Characters of arguments that a row shows. */
const roomOfRow = 240;

/** Only with every argument in the row, and a definition that is the one the call was made for. */
export function canDecideInRow({ view }: Pick<Ticket, 'view'>): boolean {
  const length = argumentLines(view.arguments).reduce((sum, line) => sum + line.length, 0);
  return view.arguments.complete && !view.reasked && length <= roomOfRow;
}

/** Soonest expiry first, then in the order in which they were asked. @param tickets newest first */
export function bySoonest<T extends { readonly expires_at: number }>(tickets: readonly T[]): readonly T[] {
  return [...tickets].reverse().sort((a, b) => a.expires_at - b.expires_at);
}
