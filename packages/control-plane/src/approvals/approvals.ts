// Approval tickets in a running service: opened by gated calls, decided by people or by time, and then run, once.
import type { ApprovalNotice, Envelope, JsonObject } from '@portico/contracts';
import { decideTicket, type TicketDecision } from '@portico/policy-engine';
import type { Clock } from '@portico/upstream-pool';
import type { AuditEventType, AuditSink, AuditStatus } from '../audit.js';
import { CallFailure } from '../call.js';
import type { PlaneState } from '../plane-state.js';
import type { Log, NotifyApproval } from '../ports.js';
import { interrupted } from '../steps/dedupe.js';
import { createExpiry } from './expiry.js';
import type { Ticket, TicketDraft } from './ticket.js';
import type { TicketQuery, TicketStore } from './ticket-store.js';
import { createWaiters } from './waiters.js';
import { toNoticeTicket } from './wire.js';

export interface ApprovalsDeps {
  readonly store: TicketStore;
  readonly audit: AuditSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly notify: NotifyApproval;
  readonly state: () => PlaneState;
  /**
   * Runs the call of an approved ticket; undefined where another has run it, or the service stops before it began.
   * Never rejects but for a defect.
   */
  readonly runCall: (ticket: Ticket, stopping: AbortSignal) => Promise<Envelope | undefined>;
}

export type DecisionResult =
  | { readonly kind: 'decided'; readonly ticket: Ticket }
  | { readonly kind: 'not_pending'; readonly ticket: Ticket }
  | { readonly kind: 'unknown' };

export interface Approvals {
  /** Takes up what an earlier run of the service left: pending tickets expire when due, approved ones run. */
  start(): Promise<void>;
  /** Opens a ticket, or gives the one that its key already has. @throws CallFailure POLICY_DENIED when too many wait */
  request(draft: TicketDraft): Promise<{ readonly ticket: Ticket; readonly isNew: boolean }>;
  /** The ticket at its end, or as it is when the time is over. Rejects with the reason of a signal that aborts first. */
  wait(id: string, waitMs: number, signals: readonly AbortSignal[]): Promise<Ticket | undefined>;
  /** Settles a pending ticket; an approved one begins to run. */
  decide(id: string, decision: TicketDecision): Promise<DecisionResult>;
  /** Rejects what a principal has pending under a request id. Whether there was anything. */
  cancel(principal: string, requestId: string): Promise<boolean>;
  get(id: string): Promise<Ticket | undefined>;
  list(query: TicketQuery): Promise<{ readonly tickets: readonly Ticket[]; readonly total: number }>;
  /** Lets no ticket expire and no call begin any more, and waits for the calls that are under way. */
  close(): Promise<void>;
}

const maxPending = 1000;

export function createApprovals(on: ApprovalsDeps): Approvals {
  const { store, clock, log } = on;
  const waiters = createWaiters(clock);
  const runs = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  const pending = createExpiry(clock, log, async (ticket) => {
    const result = await decide(ticket.id, { kind: 'expire' });
    if (result.kind === 'decided') return;
    // Set back, a clock makes the timer early.
    if (result.kind === 'not_pending' && result.ticket.status.status === 'pending') pending.watch(ticket);
    else pending.unwatch(ticket.id);
  });

  const decide = async (id: string, decision: TicketDecision): Promise<DecisionResult> => {
    const ticket = await store.get(id);
    if (ticket === undefined) return { kind: 'unknown' };
    const { status, expiresAtMs } = ticket;
    const settled = decideTicket({ status, expiresAtEpochMs: expiresAtMs }, decision, clock.epochMs());
    const decided = settled && (await store.settle(id, settled));
    if (decided === undefined) return { kind: 'not_pending', ticket: (await store.get(id)) ?? ticket };
    pending.unwatch(id);
    const name = decided.status.status as Exclude<Ticket['status']['status'], 'pending'>; // it has just been settled
    try {
      await tell(on, decided, `approval_${name}`, decisionStatus[name], `approval.${name}`);
    } finally {
      if (name === 'approved') run(decided);
      else waiters.wake(id);
    }
    return { kind: 'decided', ticket: decided };
  };

  const run = (ticket: Ticket) => {
    if (runs.has(ticket.id)) return;
    const over = on
      .runCall(ticket, stopping.signal)
      .then((envelope) => envelope && finish(ticket, envelope))
      .catch((error: unknown) => {
        log('error', 'the result of an approved call could not be kept', { approval_id: ticket.id, error });
      })
      .finally(() => runs.delete(ticket.id));
    runs.set(ticket.id, over);
  };
  const finish = async (ticket: Ticket, envelope: Envelope) => {
    await store.finishRun(ticket.id, JSON.stringify(envelope));
    waiters.wake(ticket.id);
  };

  return {
    async start() {
      for (const ticket of await store.unfinished()) {
        if (runs.has(ticket.id)) continue; // approved since
        if (ticket.status.status === 'pending') pending.watch(ticket);
        else if (ticket.run.state === 'none') run(ticket);
        else await finish(ticket, interrupted(ticket.correlation, unsureRetry(ticket)));
      }
    },
    async request(draft) {
      const known = draft.key === null ? undefined : await store.findByKey(draft.principal, draft.key.key);
      if (known !== undefined && isJoinable(known)) return { ticket: known, isNew: false };
      if (pending.tickets().length >= maxPending) throw tooManyPending();
      const opened = await store.open(draft);
      if (!opened.isNew) return opened;
      pending.watch(opened.ticket);
      await tell(on, opened.ticket, 'approval_created', 'intercepted', 'approval.created');
      return opened;
    },
    async wait(id, waitMs, signals) {
      const isOver = async () => {
        const ticket = await store.get(id);
        return ticket === undefined || isAtEnd(ticket);
      };
      await waiters.wait(id, isOver, waitMs, signals);
      return store.get(id);
    },
    decide,
    async cancel(principal, requestId) {
      const own = pending
        .tickets()
        .filter((ticket) => ticket.principal === principal && ticket.correlation.requestId === requestId);
      const results = await Promise.all(
        own.map(({ id }) => decide(id, { kind: 'reject', operator: principal, reason: 'cancelled' })),
      );
      return results.some(({ kind }) => kind === 'decided');
    },
    get: store.get,
    list: store.list,
    async close() {
      stopping.abort();
      pending.close();
      await Promise.allSettled(runs.values());
    },
  };
}

/** Leaves the audit event of what happened to a ticket, and tells the webhook. */
async function tell(
  { audit, clock, notify, state }: ApprovalsDeps,
  ticket: Ticket,
  eventType: AuditEventType,
  status: AuditStatus,
  event: ApprovalNotice['event'],
): Promise<void> {
  const { config, policy } = state();
  const epochMs = clock.epochMs();
  await audit.append({
    eventType,
    status,
    epochMs,
    correlation: ticket.correlation,
    principal: ticket.principal,
    serverId: ticket.serverId,
    capabilityId: ticket.capabilityId,
    approvalId: ticket.id,
    ...(ticket.key === null ? {} : { idempotencyKey: ticket.key.key }),
    sanitizedArgs: ticket.sanitizedArgs,
    details: policy.redactor.sanitize(detailsOf(ticket)),
  });
  if (config.policy.webhook === null) return;
  notify(config.policy.webhook, {
    event,
    timestamp: Math.floor(epochMs / 1000),
    trace_id: ticket.correlation.traceId,
    approval: toNoticeTicket(ticket, policy.redactor.sanitize),
  });
}

const decisionStatus = { approved: 'success', rejected: 'denied', expired: 'failed' } as const;

/** A repeat under the same key joins what is open, running or refused. What expired or failed unsent is asked anew. */
function isJoinable({ status, run }: Ticket): boolean {
  return (
    status.status === 'pending' ||
    status.status === 'rejected' ||
    (status.status === 'approved' && run.state !== 'finished')
  );
}

/** Rejected, expired, or run to its end. */
export function isAtEnd({ status, run }: Ticket): boolean {
  return status.status === 'rejected' || status.status === 'expired' || run.state === 'finished';
}

function detailsOf({ status }: Ticket): JsonObject {
  switch (status.status) {
    case 'approved':
      return { operator: status.operator, modified: status.modifiedArgs !== undefined };
    case 'rejected':
      return { operator: status.operator, ...(status.reason === undefined ? {} : { reason: status.reason }) };
    default:
      return {};
  }
}

/** Of a run that nobody saw the end of. */
function unsureRetry({ kind, key }: Ticket) {
  const classification = kind !== 'tool' ? 'safe' : key === null ? 'unsafe' : 'idempotent';
  return { classification, upstream_execution_state: 'unknown' } as const;
}

function tooManyPending(): CallFailure {
  return new CallFailure(
    'POLICY_DENIED',
    `${maxPending} calls wait for approval already; decide some of them, then repeat this one`,
  );
}
