// Ends what waits for the answers of a task that will not come any more. A call that waits at its upstream leaves
// its own record; where the upstream keeps nothing between requests there is no call, and the record is left here.
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../audit/audit-log.js';
import { callDraft } from '../audit/drafts.js';
import type { Log } from '../common/log.js';
import type { Interaction } from '../interaction/interaction.js';
import type { PlaneState } from '../state/plane-state.js';
import type { TaskRun } from './task-run.js';

export interface LeaveDeps extends Pick<Interaction, 'parked' | 'states'> {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly state: () => PlaneState;
}

export async function leaveWaiting({ parked, states, audit, clock, log, state }: LeaveDeps, run: TaskRun) {
  const { requestState, call, task } = run;
  if (requestState !== undefined && (await parked.drop(requestState))) return;
  if (requestState !== undefined && states.isOurs(requestState)) return; // its own time was over
  const draft = callDraft(
    { state: state(), call, args: call.args },
    {
      kind: 'answered',
      code: 'OPERATION_CANCELLED',
      isUnsent: false,
      epochMs: clock.epochMs(),
      durationUs: 0,
      key: task.key,
      approvalId: null,
      details: { task_id: task.id },
    },
  );
  await audit.append(draft).catch((error: unknown) => {
    log('error', 'an audit record is not written yet', { task_id: task.id, error }); // the log keeps it until it is
  });
}
