// The entries of the palette: pages, servers, tools, tickets that wait, and actions. Only computations.

import { type RecentCall, ticketTitleOf, toEventText } from '@portico/contracts';
import type { Ticket } from '../pages/approvals/ticket.js';

export interface PaletteEntry {
  /** Unlike that of any other entry. */
  readonly id: string;
  readonly kind: 'Page' | 'Server' | 'Tool' | 'Ticket' | 'Call' | 'Explain' | 'Action';
  readonly title: string;
  /** More words by which it is found. */
  readonly words: string;
  /** Where it leads; an action has none. */
  readonly href?: string;
}

export interface PaletteSources {
  readonly pages: readonly { readonly path: string; readonly title: string; readonly words?: string }[];
  readonly servers: readonly { readonly id: string; readonly status: string }[];
  readonly tools: readonly { readonly id: string; readonly summary: string }[];
  readonly tickets: readonly Ticket[];
  /** The last ones, newest first; each leads to its trace. */
  readonly calls: readonly RecentCall[];
  readonly actions: readonly { readonly id: string; readonly title: string }[];
}

export function toEntries({ pages, servers, tools, tickets, calls, actions }: PaletteSources): readonly PaletteEntry[] {
  return [
    ...pages.map(({ path, title, words = '' }) => entry('Page', path, title, words, path)),
    ...tickets.map((ticket) =>
      entry('Ticket', ticket.id, ticketTitleOf(ticket), `${ticket.id} approve`, `/approvals?id=${ticket.id}`),
    ),
    ...servers.map(({ id, status }) => entry('Server', id, id, status, `/servers/${encodeURIComponent(id)}`)),
    ...actions.map(({ id, title }) => entry('Action', id, title, '')),
    ...calls.map((call) => entry('Call', call.id, callTitleOf(call), wordsOfCall(call), whyPath(call.id))),
    ...tools.map(({ id, summary }) =>
      entry('Tool', id, id, summary, `/catalog?${new URLSearchParams({ kind: 'tools', id })}`),
    ),
  ];
}

function entry(kind: PaletteEntry['kind'], id: string, title: string, words: string, href?: string): PaletteEntry {
  return { id: `${kind} ${id}`, kind, title, words, ...(href === undefined ? {} : { href }) };
}

/** `cursor called github.create_issue: refused by rule github.* (deny)` */
function callTitleOf(call: RecentCall): string {
  const { who, verb, what, outcome } = toEventText(call);
  return `${who} ${verb} ${what}: ${outcome}`;
}

function wordsOfCall({ id, trace_id: trace }: RecentCall): string {
  return `${id} ${trace ?? ''} trace why`;
}

function whyPath(id: string): string {
  return `/?why=${encodeURIComponent(id)}`;
}

/** Ids that calls have: of an approval, an audit record, or a trace. */
const idOfCall = /^(appr-[\w-]+|aud-[\w-]+|[0-9a-f]{32})$/;

/** An id that was typed or pasted is explained. */
export function explainEntryOf(text: string): PaletteEntry | undefined {
  const id = text.trim();
  if (!idOfCall.test(id)) return undefined;
  return { ...entry('Explain', id, `Why? ${id}`, ''), href: whyPath(id) };
}
