// Runs the call of an approved ticket: a call like any other, with the ticket in place of a person.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import { envelopeText, errorEnvelope, nothingSent } from '@portico/contracts';
import type { Ledger } from '@portico/idempotency';
import { startDeadline } from '@portico/upstream-pool';
import { isAsApproved, isOtherNow } from '../approvals/reasking.js';
import { approvedArgs, type Ticket } from '../approvals/ticket.js';
import { withheld } from '../approvals/ticket-runs.js';
import type { TicketStore } from '../approvals/ticket-store.js';
import { toCall } from '../approvals/to-call.js';
import type { AuditLog, OpenAction } from '../audit/audit-log.js';
import { CallFailure } from '../call/call.js';
import { cancelled, storeFailure } from '../call/failures.js';
import { OperationCancelled } from '../call/operations.js';
import type { PlaneState } from '../state/plane-state.js';
import { type Execution, execute } from './execute.js';

/**
 * Waits for a server that is still connecting, so that an approval right after a start is not lost. Undefined if
 * another process has started the call, whose outcome counts, and if the service stops before it began: it then runs
 * after the next start. `withheld` if the definition is not the approved one, which is checked before the run is marked
 * as started and again at the moment of sending: a server may start, and list itself, in between.
 * @param signal aborts with OperationCancelled, or with ServiceStopping; once the call has begun it is an operation
 * like any other
 */
export async function runTicket(
  on: Execution,
  tickets: TicketStore,
  state: () => PlaneState,
  ticket: Ticket,
  signal: AbortSignalLike,
): Promise<string | typeof withheld | undefined> {
  await untilRecordable(on, signal);
  await firstAttempt(on, state().config.toolTimeoutMs, ticket.serverId, signal);
  if (signal.aborted) {
    const isCancelled = signal.reason instanceof OperationCancelled;
    return isCancelled ? JSON.stringify(errorEnvelope(ticket.correlation, nothingSent, cancelled(signal))) : undefined;
  }
  let isTaken = false;
  let isWithheld = false;
  let isAnswered = false;
  /** Further rounds of a call that was sent go on: it must not begin again. */
  const withhold = () => {
    isWithheld = !isAnswered && !isAsApproved(state(), ticket);
    return isWithheld ? changedReason(ticket) : undefined;
  };
  const start = async () => {
    isWithheld = isOtherNow(state(), ticket);
    if (isWithheld) throw new CallFailure('POLICY_DENIED', changedReason(ticket));
    isTaken = !(await tickets.startRun(ticket.id).catch((error: unknown) => Promise.reject(storeFailure(error))));
    if (isTaken) throw new CallFailure('INTERNAL_ERROR', `the call of approval ${ticket.id} has been started before`);
  };
  const { id: approvalId, principal, key } = ticket;
  const claim = key === null ? null : { scope: principal, ...key };
  const client = on.clients.of(approvalId);
  const call = { ...toCall(ticket, approvedArgs(ticket)), ...(client === undefined ? {} : { client }) };
  const { envelope, dataText } = await execute(on, state(), call, {
    kind: 'ticket',
    approvalId,
    claim,
    start,
    withhold,
    answered() {
      isAnswered = true;
    },
  });
  if (isWithheld) return withheld;
  return isTaken ? undefined : envelopeText(envelope, dataText);
}

function changedReason({ id, capabilityId }: Ticket): string {
  return `the definition of ${JSON.stringify(capabilityId)} is not the one that approval ${id} was given for; it is asked again`;
}

/**
 * The answer that a key has from an earlier run of the service, as JSON text. The ticket of its call must not say another one.
 */
export async function storedAnswer(
  ledger: Ledger,
  { principal, key }: Ticket,
  nowMs: number,
): Promise<string | undefined> {
  const record = key === null ? undefined : await ledger.get(principal, key.key, nowMs);
  if (record === undefined || record.fingerprint !== key?.fingerprint) return undefined;
  return record.response;
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
