// Closes the executions of stopped processes under idempotency keys, and writes the missing audit records.
import { interruptedDraft } from './approvals/interrupted-draft.js';
import type { PlaneDeps } from './ports.js';
import type { PlaneState } from './state/plane-state.js';

export async function closeInterrupted(
  { ledger, audit, clock, log }: Pick<PlaneDeps, 'ledger' | 'audit' | 'clock' | 'log'>,
  state: PlaneState,
): Promise<void> {
  const nowMs = clock.epochMs();
  const interrupted = await ledger.closeInterrupted(nowMs, nowMs + state.config.idempotencyTtlSecs * 1000);
  if (interrupted.length === 0) return;
  log('warn', 'executions were cut off by the end of their process', { interrupted: interrupted.length });
  const appended = interrupted.map((call) => audit.append(interruptedDraft(state, call, nowMs)));
  await Promise.all(appended).catch((error: unknown) => {
    log('error', 'audit records are not written yet', { error }); // the log keeps them until they are
  });
}
