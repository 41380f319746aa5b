// Keeps the queue up to date until the signal aborts, and reports the outcome of tickets that left it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '@portico/client';
import { sayFailure } from '../failure.js';
import type { Store } from '../shell/store.js';
import { addOutcome, type QueueState, riskKeyOf, type Ticket, withTickets } from './state.js';

export type QueueClient = Pick<
  ApiClient,
  'listApprovals' | 'getApproval' | 'approve' | 'reject' | 'describeCapability'
>;

export interface FollowingQueue {
  readonly client: QueueClient;
  readonly store: Store<QueueState>;
  readonly signal: AbortSignal;
  readonly intervalMs: number;
  /** A ticket has come that was not there before. */
  readonly onArrival: () => void;
  /** Tickets that are decided on this screen: the decision reports their outcome. */
  readonly isOurs: (id: string) => boolean;
}

const pageSize = 200;

export async function followQueue(following: FollowingQueue): Promise<void> {
  const { store, signal, intervalMs } = following;
  try {
    for (;;) {
      await look(following).catch((error: unknown) => {
        if (signal.aborted) throw error;
        store.update((state) => ({ ...state, lost: sayFailure(error), nowMs: Date.now() }));
      });
      await sleep(intervalMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Newest first; tickets that arrive between two pages push others to the next page, where they are seen again. */
export async function listPending({
  client,
  signal,
}: {
  readonly client: Pick<QueueClient, 'listApprovals'>;
  readonly signal?: AbortSignal;
}): Promise<readonly Ticket[]> {
  const byId = new Map<string, Ticket>();
  for (let offset = 0; ; offset += pageSize) {
    const { approvals } = await client.listApprovals({ status: 'pending', limit: pageSize, offset }, { signal });
    for (const ticket of approvals) byId.set(ticket.id, ticket);
    if (approvals.length < pageSize) return [...byId.values()];
  }
}

async function look(following: FollowingQueue): Promise<void> {
  const { client, store, signal, onArrival, isOurs } = following;
  const approvals = await listPending(following);
  const before = store.get().tickets;
  const ids = new Set(approvals.map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  store.update((state) => withTickets(state, approvals, Date.now()));
  if (approvals.some(({ id }) => !known.has(id))) onArrival();
  for (const { id } of before.filter((ticket) => !ids.has(ticket.id) && !isOurs(ticket.id))) {
    const { approval } = await client.getApproval(id, { signal });
    if (approval.status.status === 'pending') continue; // it moved between two pages, and is there the next time
    store.update((state) => addOutcome(state, sayOutcome(approval)));
  }
  await learnRisks(following, approvals);
}

/** Definitions that are asked for with one look. */
const describedAtOnce = 20;

/** Each definition is asked for once; the risk of one that cannot be described is not shown. */
async function learnRisks({ client, store, signal }: FollowingQueue, tickets: readonly Ticket[]): Promise<void> {
  const { risks } = store.get();
  const unknown = tickets.filter((ticket) => ticket.kind === 'tool' && !risks.has(riskKeyOf(ticket)));
  const asked = new Map(unknown.map((ticket) => [riskKeyOf(ticket), ticket.capability_id]));
  for (const [key, capability] of [...asked].slice(0, describedAtOnce)) {
    const tags = await client.describeCapability(capability, { signal }).then(
      (answer) => answer.capability.tags ?? [],
      () => [],
    );
    if (signal.aborted) return;
    store.update((state) => ({ ...state, risks: new Map(state.risks).set(key, tags) }));
  }
}

export function sayOutcome({ id, capability_id, status }: Pick<Ticket, 'id' | 'capability_id' | 'status'>): string {
  const by = status.operator === undefined ? '' : ` by ${status.operator}`;
  const why = status.reason === undefined ? '' : `: ${status.reason}`;
  return `${status.status}${by}${why}  ${capability_id}  ${id}`;
}
