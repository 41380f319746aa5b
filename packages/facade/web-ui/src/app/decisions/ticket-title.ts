// A ticket named by what it does.
import type { Ticket } from '../pages/approvals/ticket.js';

const verbs: Readonly<Record<Ticket['kind'], string>> = {
  tool: 'wants to run',
  resource: 'wants to read',
  prompt: 'wants the prompt',
};

export function ticketPartsOf({ client, channel, capability_id: capability, kind }: Ticket) {
  return { who: client?.name ?? channel ?? 'A caller', verb: verbs[kind], what: capability };
}

/** "claude-code wants to run flaky.drop_table", with all characters as they came. */
export function ticketTitleOf(ticket: Ticket): string {
  const { who, verb, what } = ticketPartsOf(ticket);
  return `${who} ${verb} ${what}`;
}
