// Runs the call of an approved ticket: a call like any other, with the ticket in place of a person.
import type { Envelope, JsonObject } from '@portico/contracts';
import { startDeadline, untilAborted } from '@portico/upstream-pool';
import type { Ticket } from './approvals/ticket.js';
import type { TicketStore } from './approvals/ticket-store.js';
import { type Call, CallFailure } from './call.js';
import { type Execution, execute } from './execute.js';
import type { PlaneState } from './plane-state.js';

/**
 * Waits for a server that is still being connected, so that an approval right after a start is not lost to it.
 * Undefined where the call has been started by somebody else, whose outcome counts, and where the service stops before
 * it began: it is then run after the next start.
 */
export async function runTicket(
  on: Execution,
  tickets: TicketStore,
  state: () => PlaneState,
  ticket: Ticket,
  stopping: AbortSignal,
): Promise<Envelope | undefined> {
  await firstAttempt(on, state().config.toolTimeoutMs, ticket.serverId, stopping);
  if (stopping.aborted) return undefined;
  let isTaken = false;
  const start = async () => {
    isTaken = !(await tickets.startRun(ticket.id));
    if (isTaken) throw new CallFailure('INTERNAL_ERROR', `the call of approval ${ticket.id} has been started before`);
  };
  const { id: approvalId, principal, key } = ticket;
  const use = key === null ? null : { scope: principal, ...key };
  const { envelope } = await execute(on, state(), toCall(ticket, approvedArgs(ticket)), { approvalId, use, start });
  return isTaken ? undefined : envelope;
}

/** What the operator made of the arguments, or what the caller sent. */
export function approvedArgs({ status, args }: Ticket): JsonObject {
  return status.status === 'approved' ? (status.modifiedArgs ?? args) : args;
}

/** The call as it was made, by a caller that has gone for good. */
export function toCall(ticket: Ticket, args: JsonObject): Call {
  const { kind, capabilityId, correlation, principal, profile, key } = ticket;
  return {
    kind,
    id: capabilityId,
    args,
    correlation,
    caller: { principal, profile },
    signal: new AbortController().signal,
    idempotencyKey: key?.key ?? null,
    approvalWaitMs: 0,
  };
}

async function firstAttempt(
  { pool, clock }: Execution,
  timeoutMs: number,
  server: string,
  stopping: AbortSignal,
): Promise<void> {
  const attempted = pool.get(server)?.attempted;
  if (attempted === undefined) return;
  const waited = startDeadline(clock, timeoutMs, stopping);
  await untilAborted(attempted, waited.signal).catch(() => {}); // the call itself says what is wrong with the server
  waited.stop();
}
