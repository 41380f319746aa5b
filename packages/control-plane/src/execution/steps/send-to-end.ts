// Sends a request, and follows the task that the upstream may make of it. A caller that takes tasks need not wait.
import type { Dialogue, SendDeadline, SendOutcome, Upstream, UpstreamRequest } from '@portico/upstream-pool';
import { needsTask, type Target } from '../../call/target.js';
import type { CallerChannel } from '../../interaction/questioning.js';
import { taskTtlMs } from '../../tasks/task.js';
import { type FollowDeps, followTask, taskIn } from './follow-task.js';

export function sendToEnd(
  on: FollowDeps & Pick<Upstream, 'hold'>,
  channel: CallerChannel,
  request: UpstreamRequest,
  deadline: SendDeadline,
  dialogue: Dialogue,
): Promise<SendOutcome> {
  return on.send(request, deadline, dialogue).then((outcome) => {
    const task = outcome.kind === 'answered' ? taskIn(outcome.result, request) : undefined;
    if (task === undefined) return outcome;
    channel.isTask = true;
    becomeTask(channel);
    return followTask(on, task, deadline, dialogue).finally(on.hold());
  });
}

/** A tool of 2025-11-25 that has to be run as a task is run as one. */
export function withTask(request: UpstreamRequest, { tool }: Target): UpstreamRequest {
  if (!needsTask(tool)) return request;
  return { ...request, params: { ...request.params, task: { ttl: taskTtlMs } } };
}

/** A caller that takes tasks need not wait for one, nor is it hurried. */
export function becomeTask({ task, operation }: CallerChannel): void {
  if (task === undefined) return;
  operation.hold(); // for good
  task.become();
}
