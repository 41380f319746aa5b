// Waiting for a person's decision, for longer than one request may be held.
import type { Envelope, SuccessEnvelope } from '@portico/contracts';
import type { Session } from '../command.js';
import { CommandFailure } from '../failures.js';

/** Requests that are held longer are cut by clients and proxies. */
const longestHoldSecs = 240;
const betweenLooksMs = 500;

/** @throws ApiError, APPROVAL_PENDING among them when the time is over */
export async function waitForApproval(
  { client, output, stopped }: Session,
  waitSecs: number | undefined,
  send: (waitSecs: number | undefined) => Promise<SuccessEnvelope>,
): Promise<SuccessEnvelope> {
  const giveUpAtMs = performance.now() + (waitSecs ?? 0) * 1000;
  try {
    return await send(waitSecs === undefined ? undefined : Math.min(waitSecs, longestHoldSecs));
  } catch (error) {
    const { ApiError } = await import('@portico/client');
    if (!(error instanceof ApiError) || error.code !== 'APPROVAL_PENDING' || error.approvalId === undefined)
      throw error;
    const clear = output.progress(`waiting for the decision on ${error.approvalId} (Ctrl-C cancels)`);
    try {
      while (performance.now() < giveUpAtMs && !stopped.aborted) {
        await new Promise((wake) => setTimeout(wake, betweenLooksMs));
        const { approval } = await client.getApproval(error.approvalId);
        const result = approval.result as Envelope | undefined; // the service keeps envelopes there
        if (result?.ok === true) return result;
        if (result !== undefined) throw new ApiError(error.status, result);
        const { status, reason = 'no reason given' } = approval.status;
        if (status === 'rejected') throw new CommandFailure(`APPROVAL_REJECTED: ${approval.id}: ${reason}`);
        if (status === 'expired')
          throw new CommandFailure(`APPROVAL_TIMEOUT: there was no decision on ${approval.id} in time`);
      }
    } finally {
      clear();
    }
    throw error;
  }
}
