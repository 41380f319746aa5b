// A ticket named by what it does, its arguments on one line, and whether that line is enough to decide on it.

import type { ShownArguments } from '../wire/approval-view.js';
import type { ApprovalTicket } from '../wire/approvals.js';

const verbs: Readonly<Record<ApprovalTicket['kind'], string>> = {
  tool: 'wants to run',
  resource: 'wants to read',
  prompt: 'wants the prompt',
};

export type TitledTicket = Pick<ApprovalTicket, 'client' | 'channel' | 'capability_id' | 'kind'>;

/** The title of a ticket in its parts: the client, what it wants, and the capability. */
export function ticketPartsOf({ client, channel, capability_id: capability, kind }: TitledTicket) {
  return { who: client?.name ?? channel ?? 'A caller', verb: verbs[kind], what: capability };
}

/** claude-code wants to run flaky.drop_table", with all characters unchanged. */
export function ticketTitleOf(ticket: TitledTicket): string {
  const { who, verb, what } = ticketPartsOf(ticket);
  return `${who} ${verb} ${what}`;
}

/** Effects of a tool, as its server annotates it; in the order in which they are shown. */
export const riskTags = ['destructive', 'open-world', 'read-only'] as const;

/** Characters of arguments that a row shows. */
const roomOfRow = 240;

/** Only with every argument in the row, none of them redacted, and a definition that is the one the call was made for. */
export function canDecideInRow({ view }: Pick<ApprovalTicket, 'view'>): boolean {
  const { entries, complete } = view.arguments;
  const isShown = complete && !entries.some(isRedacted);
  return isShown && !view.reasked && argumentsInRow(view.arguments).length <= roomOfRow;
}

/** Also in a part of its text or in its name. A text that only reads like it is decided on its page. */
function isRedacted({ key, value, redacted }: ShownArguments['entries'][number]): boolean {
  return redacted || key.includes('[REDACTED') || value.includes('(redacted in part');
}

/** `table: "users", options: object of 1 key, options.dry_run: true`: each with the path that it is at. */
export function argumentsInRow({ entries }: ShownArguments): string {
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

/** Said of a decision on a row that was not there long enough to be the one that was meant. */
export const listHasMoved = 'The list has just moved: look again, then press once more';
