// Runs the call of an approved ticket: a call like any other, with the ticket in place of a person.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import { type Envelope, errorEnvelope, nothingSent, parseJson } from '@portico/contracts';
import type { Ledger } from '@portico/idempotency';
import { startDeadline } from '@portico/upstream-pool';
import { approvedArgs, type Ticket } from '../approvals/ticket.js';
import type { TicketStore } from '../approvals/ticket-store.js';
import { toCall } from '../approvals/to-call.js';
import type { AuditLog, OpenAction } from '../audit/audit-log.js';
import { CallFailure } from '../call/call.js';
import { cancelled, storeFailure } from '../call/failures.js';
import { OperationCancelled } from '../call/operations.js';
import type { PlaneState } from '../state/plane-state.js';
import { type Execution, execute } from './execute.js';

/**
 * Waits for a server that is still being connected, so that an approval right after a start is not lost to it.
 * Undefined where the call has been started by somebody else, whose outcome counts, and where the service stops before
 * it began: it is then run after the next start.
 * @param signal aborts with OperationCancelled, or with ServiceStopping; once the call has begun it is an operation
 *   like any other
 */
export async function runTicket(
  on: Execution,
  tickets: TicketStore,
  state: () => PlaneState,
  ticket: Ticket,
  signal: AbortSignalLike,
): Promise<Envelope | undefined> {
  await untilRecordable(on, signal);
  await firstAttempt(on, state().config.toolTimeoutMs, ticket.serverId, signal);
  if (signal.aborted) {
    const isCancelled = signal.reason instanceof OperationCancelled;
    return isCancelled ? errorEnvelope(ticket.correlation, nothingSent, cancelled(signal)) : undefined;
  }
  let isTaken = false;
  const start = async () => {
    isTaken = !(await tickets.startRun(ticket.id).catch((error: unknown) => Promise.reject(storeFailure(error))));
    if (isTaken) throw new CallFailure('INTERNAL_ERROR', `the call of approval ${ticket.id} has been started before`);
  };
  const { id: approvalId, principal, key } = ticket;
  const claim = key === null ? null : { scope: principal, ...key };
  const client = on.clients.of(approvalId);
  const call = { ...toCall(ticket, approvedArgs(ticket)), ...(client === undefined ? {} : { client }) };
  const { envelope } = await execute(on, state(), call, { kind: 'ticket', approvalId, claim, start });
  return isTaken ? undefined : envelope;
}

/** The answer that a key has from an earlier run of the service. The ticket of its call must not say another one. */
export async function storedAnswer(
  ledger: Ledger,
  { principal, key }: Ticket,
  nowMs: number,
): Promise<Envelope | undefined> {
  const record = key === null ? undefined : await ledger.get(principal, key.key, nowMs);
  if (record === undefined || record.fingerprint !== key?.fingerprint) return undefined;
  return parseJson(record.response) as Envelope; // `dedupe` wrote it from one
}

const recordableAgainMs = 1000;

async function begin(audit: AuditLog): Promise<OpenAction> {
  return audit.begin();
}

/** An approval is not used up by a time in which nothing can be recorded, and therefore nothing be run. */
async function untilRecordable({ audit, clock }: Execution, signal: AbortSignalLike): Promise<void> {
  while (!signal.aborted) {
    const action = await begin(audit).catch(() => undefined);
    if (action !== undefined) return action.end();
    await clock.sleep(recordableAgainMs, signal).catch(() => {});
  }
}

async function firstAttempt(
  { pool, clock }: Execution,
  timeoutMs: number,
  server: string,
  signal: AbortSignalLike,
): Promise<void> {
  const attempted = pool.get(server)?.attempted;
  if (attempted === undefined) return;
  const waited = startDeadline(clock, timeoutMs, signal);
  await untilAborted(attempted, waited.signal).catch(() => {}); // the call itself says what is wrong with the server
  waited.stop();
}
