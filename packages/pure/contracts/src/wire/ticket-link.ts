// Where the console shows a ticket.

/**
 * Address of the page of one ticket in the console. It holds no credential: the user signs in there.
 * @param origin of the console, without a slash at its end
 */
export function ticketLink(origin: string, id: string): string {
  return `${origin}/ui/approvals?id=${encodeURIComponent(id)}`;
}
