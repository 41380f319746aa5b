// All tickets that wait, soonest expiry first. The service lists the newest first, in pages.

import type { Answers } from '@portico/client';
import { bySoonest } from '@portico/contracts';

type Page = Pick<Answers['listApprovals'], 'approvals' | 'total'>;

export interface Waiting {
  /** Soonest expiry first. */
  readonly tickets: Page['approvals'];
  /** All that wait; more than `tickets` where there are more than are read. */
  readonly total: number;
}

/** Tickets of one page, and those that are read at most. */
export const waitingLimits = { page: 500, all: 5000 };

/** @param readPage of the tickets that wait, newest first, `limit` of them from `offset` on */
export async function readWaiting(
  readPage: (page: { readonly limit: number; readonly offset: number }) => Promise<Page>,
): Promise<Waiting> {
  // A ticket that is opened in between moves the others on, where they come a second time.
  const found = new Map<string, Page['approvals'][number]>();
  let total = 0;
  for (let offset = 0; offset < waitingLimits.all; offset += waitingLimits.page) {
    const page = await readPage({ limit: waitingLimits.page, offset });
    for (const ticket of page.approvals) found.set(ticket.id, ticket);
    total = page.total;
    if (offset + page.approvals.length >= total || page.approvals.length === 0) break;
  }
  return { tickets: [...bySoonest([...found.values()])], total };
}

/** `The first 100 of 5,200`; undefined if all are shown. */
export function shownOf(shown: number, total: number): string | undefined {
  return shown < total ? `The first ${shown.toLocaleString('en')} of ${total.toLocaleString('en')}` : undefined;
}
