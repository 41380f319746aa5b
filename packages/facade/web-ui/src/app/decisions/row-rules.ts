// Which tickets can be decided in their row. Only computations.
import type { Ticket } from '../pages/approvals/ticket.js';

/** Characters of arguments that a row shows. */
const roomOfRow = 240;

/** Only with every argument in the row, none of them redacted, and a definition that is the one the call was made for. */
export function canDecideInRow({ view }: Pick<Ticket, 'view'>): boolean {
  const { entries, complete } = view.arguments;
  const isShown = complete && !entries.some(isRedacted);
  return isShown && !view.reasked && argumentsInRow(view.arguments).length <= roomOfRow;
}

/** Also in a part of its text or in its name. A text that only reads like it is decided on its page. */
function isRedacted({ key, value, redacted }: Ticket['view']['arguments']['entries'][number]): boolean {
  return redacted || key.includes('[REDACTED') || value.includes('(redacted in part');
}

/** `table: "users", options: object of 1 key, options.dry_run: true`: each with the path that it is at. */
export function argumentsInRow({ entries }: Ticket['view']['arguments']): string {
  if (entries.length === 0) return '(no arguments)';
  const path: string[] = [];
  return entries
    .map(({ depth, key, value }) => {
      path.splice(depth, path.length, key);
      return `${path.reduce((all, part) => (part.startsWith('[') ? `${all}${part}` : `${all}.${part}`))}: ${value}`;
    })
    .join(', ');
}

/** Soonest expiry first, then in the order in which they were asked. @param tickets newest first */
export function bySoonest<T extends { readonly expires_at: number }>(tickets: readonly T[]): readonly T[] {
  return [...tickets].reverse().sort((a, b) => a.expires_at - b.expires_at);
}
