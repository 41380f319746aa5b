// Approval tickets in a running service: opened by gated calls, decided by people or by time, and then run, once.
import type { AbortSignalLike } from '@portico/async';
import type { IdempotencyClaim } from '@portico/idempotency';
import { kept, unrecorded } from '../call/failures.js';
import { createExpiry } from '../waiting/expiry.js';
import { followSettled } from '../waiting/follow-settled.js';
import { createRecovery } from '../waiting/recovery.js';
import { createWaiters } from '../waiting/waiters.js';
import { createDeciding, type Decide } from './deciding.js';
import { interruptedTicketDraft } from './interrupted-draft.js';
import { type NotifyDeps, notifyEvent, ticketEvents } from './notify.js';
import { createReasking } from './reasking.js';
import { type Ticket, type TicketDraft, type TicketRef, toRef } from './ticket.js';
import { createTicketOpening, createTicketRoom } from './ticket-opening.js';
import { createTicketRuns, type RunCall, type TicketRuns } from './ticket-runs.js';
import type { TicketQuery, TicketStore } from './ticket-store.js';

export interface ApprovalsDeps extends NotifyDeps {
  readonly store: TicketStore;
  readonly runCall: RunCall;
  /**
   * The stored answer under the key of a ticket whose call a stopped process has started, as JSON text; undefined
   * without a key.
   */
  readonly storedAnswer: (ticket: Ticket) => Promise<string | undefined>;
}

export interface Approvals {
  /**
   * Recovers the tickets of stopped processes: pending ones expire when due, approved ones run.
   * @returns whether nothing is left to try again
   */
  recover(): Promise<boolean>;
  /** Opens a ticket, or gives the one that its key already has. @throws CallFailure POLICY_DENIED when too many wait */
  request(draft: TicketDraft): Promise<{ readonly ticket: Ticket; readonly isNew: boolean }>;
  /** The ticket at its end, or as it is when the time is over or it is asked again. Rejects with the reason of a signal that aborts first. */
  wait(id: string, waitMs: number, signals: readonly AbortSignalLike[]): Promise<Ticket | undefined>;
  /** The same for a ticket that was approved: also over where it is pending again, since its definition changed. */
  waitForRun(id: string, waitMs: number, signals: readonly AbortSignalLike[]): Promise<Ticket | undefined>;
  /**
   * Settles a pending ticket; an approved one begins to run.
   * @param seen digest of the definition that the approver was shown; without it, the one that it was opened with
   */
  readonly decide: Decide;
  /** Rejects what a principal has pending under a request id, and keeps from beginning what is approved. Whether there was anything. */
  cancel(principal: string, requestId: string): Promise<boolean>;
  /** Whether a key belongs to a ticket that waits or runs, and was used there for something else. */
  isTaken(claim: IdempotencyClaim): boolean;
  /** Whether a repeat under a key joins a ticket: one that waits, runs, or was rejected. Rejects with CallFailure INTERNAL_ERROR. */
  hasTicket(claim: Pick<IdempotencyClaim, 'scope' | 'key'>): Promise<boolean>;
  /** The page of the ticket in the console; undefined if no console is served. */
  linkOf(id: string): string | undefined;
  /** How many tickets wait for a decision. */
  pendingCount(): number;
  get(id: string): Promise<Ticket | undefined>;
  list(query: TicketQuery): Promise<{ readonly tickets: readonly Ticket[]; readonly total: number }>;
  /** Lets no ticket expire and no call begin any more, and waits for the calls that are under way. */
  close(): Promise<void>;
}

export function createApprovals(on: ApprovalsDeps): Approvals {
  const { store, clock, log } = on;
  const waiters = createWaiters(clock);
  const reasking = createReasking(on);
  const runs = createTicketRuns(
    store,
    on.runCall,
    { clock, log },
    {
      onOver: waiters.wake,
      async onWithheld(ticket) {
        const reasked = await reasking.beforeRun(ticket);
        if (reasked !== undefined) pending.watch(toRef(reasked));
      },
    },
  );

  const room = createTicketRoom(() => on.state().config.limits);
  const expire = async (ticket: TicketRef) => {
    const result = await decide(ticket.id, { kind: 'expire' });
    // Set back, a clock makes the timer early.
    if (result.kind === 'not_pending' && result.ticket.status.status === 'pending') pending.watch(ticket);
    else pending.unwatch(ticket.id);
  };
  const pending = createExpiry<TicketRef>(clock, log, expire, room);

  const recovery = createRecovery<TicketRef>(({ id }) => recoverRun(on, runs, id), log);

  const isPending = async (id: string) => (await store.get(id))?.status.status === 'pending';
  const following = followSettled({ follow: store.follow, pending, waiters, isPending, log });
  const openTicket = createTicketOpening({ store, room, pending, following });

  const decide = createDeciding({ ...on, reasking, pending, runs, waiters });

  /** The ticket that a repeat under a key joins. */
  const joinable = async (principal: string, key: string, nowMs: number): Promise<Ticket | undefined> => {
    const known = await store.findByKey(principal, key);
    const joinableSinceMs = nowMs - on.state().config.idempotencyTtlSecs * 1000;
    return known !== undefined && isJoinable(known, joinableSinceMs) ? known : undefined;
  };

  const waitUntil = async (
    isOver: (ticket: Ticket) => boolean,
    ...[id, waitMs, signals]: Parameters<Approvals['wait']>
  ): Promise<Ticket | undefined> => {
    const look = async () => {
      const ticket = await store.get(id);
      return ticket === undefined || isOver(ticket);
    };
    await waiters.wait(id, look, waitMs, signals);
    return store.get(id);
  };

  return {
    async recover() {
      const unfinished = await store.claim();
      for (const ticket of unfinished.pending) pending.watch(ticket);
      return recovery.recover(unfinished.approved);
    },
    async request(draft) {
      const known = draft.key === null ? undefined : await joinable(draft.principal, draft.key.key, draft.createdAtMs);
      if (known !== undefined) return { ticket: known, isNew: false };
      const opened = await openTicket(draft);
      if (opened.isNew) await notifyEvent(on, opened.ticket, ticketEvents.created);
      return opened;
    },
    wait: (id, waitMs, signals) => waitUntil(isAtEnd, id, waitMs, signals),
    waitForRun: (id, waitMs, signals) => waitUntil(hasNoRun, id, waitMs, signals),
    decide,
    async cancel(principal, requestId) {
      const isMeant = (ticket: TicketRef) => ticket.principal === principal && ticket.requestId === requestId;
      const hasRun = runs.cancel(isMeant);
      const rejection = { kind: 'reject', operator: principal, reason: 'cancelled' } as const;
      const waiting = pending.tickets().filter(isMeant);
      const results = await Promise.all(waiting.map(({ id }) => decide(id, rejection)));
      return hasRun || results.some(({ kind }) => kind === 'decided');
    },
    isTaken: ({ scope, key, fingerprint }) =>
      [...pending.tickets(), ...runs.tickets()].some(
        (ticket) => ticket.principal === scope && ticket.key?.key === key && ticket.key.fingerprint !== fingerprint,
      ),
    hasTicket: async ({ scope, key }) => (await kept(joinable(scope, key, clock.epochMs()))) !== undefined,
    linkOf: on.linkOf,
    pendingCount: () => pending.tickets().length,
    get: store.get,
    list: store.list,
    async close() {
      following.stop();
      pending.close();
      await runs.close();
    },
  };
}

/** Recovers an approved ticket of a stopped process. */
async function recoverRun(on: ApprovalsDeps, runs: TicketRuns, id: string): Promise<void> {
  const { store, storedAnswer, audit, clock } = on;
  const ticket = runs.has(id) ? undefined : await store.get(id); // approved since, or gone
  if (ticket === undefined || ticket.run.state === 'finished') return;
  if (ticket.run.state === 'none') return runs.begin(ticket);
  const result = (await storedAnswer(ticket)) ?? JSON.stringify(unrecorded(ticket.correlation, unsureRetry(ticket)));
  // A call with a key has its record from the ledger.
  if (ticket.key === null) {
    await audit.append(interruptedTicketDraft(on.state(), ticket, clock.epochMs())).catch((error: unknown) => {
      on.log('error', 'an audit record is not written yet', { approval_id: id, error }); // the log keeps it until it is
    });
  }
  await store.finishRun(id, result);
}

/**
 * A repeat under the same key joins an open or running ticket, and is refused within the lifetime of a key after a
 * rejection. A ticket that expired, was cancelled or failed unsent is followed by a new one.
 */
function isJoinable({ status, run, createdAtMs }: Ticket, refusedSinceMs: number): boolean {
  switch (status.status) {
    case 'pending':
      return true;
    case 'approved':
      return run.state !== 'finished';
    case 'rejected':
      return status.reason !== 'cancelled' && createdAtMs > refusedSinceMs;
    case 'expired':
      return false;
  }
}

/** Rejected, expired, or run to its end. */
export function isAtEnd({ status, run }: Ticket): boolean {
  return status.status === 'rejected' || status.status === 'expired' || run.state === 'finished';
}

/** At its end, or before a person again. */
function hasNoRun(ticket: Ticket): boolean {
  return isAtEnd(ticket) || ticket.status.status === 'pending';
}

/** For a run with an unknown end. */
function unsureRetry({ kind, key }: Ticket) {
  const classification = kind !== 'tool' ? 'safe' : key === null ? 'unsafe' : 'idempotent';
  return { classification, upstream_execution_state: 'unknown' } as const;
}
