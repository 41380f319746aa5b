// Sends a request, and follows the task that the upstream may make of it. A caller that takes tasks need not wait.
import { type Settle, settleWith } from '@portico/async';
import type {
  SendDeadline,
  SendOutcome,
  ServerRequestHandler,
  Upstream,
  UpstreamRequest,
} from '@portico/upstream-pool';
import { needsTask, type Target } from '../../call/target.js';
import type { CallerChannel } from '../../interaction/questioning.js';
import { taskTtlMs } from '../../tasks/task.js';
import { type FollowDeps, followTask, taskIn, type UpstreamTask } from './follow-task.js';

export interface ToServer extends Pick<FollowDeps, 'clock'> {
  readonly server: Pick<Upstream, 'dispatch' | 'hold'>;
}

/** Waits for the end of a request, and says until when. */
export type Ending = Settle<SendOutcome> & SendDeadline;

export function sendToEnd(
  on: ToServer,
  channel: CallerChannel,
  request: UpstreamRequest,
  handler: ServerRequestHandler,
  ending: Ending,
): void {
  on.server.dispatch(request, ending, handler, new FollowedRequest(on, channel, request, handler, ending));
}

/** Ends as the request does, or as the task does that the upstream makes of it. */
class FollowedRequest implements Settle<SendOutcome> {
  readonly #on: ToServer;
  readonly #channel: CallerChannel;
  readonly #request: UpstreamRequest;
  readonly #handler: ServerRequestHandler;
  readonly #ending: Ending;

  constructor(
    on: ToServer,
    channel: CallerChannel,
    request: UpstreamRequest,
    handler: ServerRequestHandler,
    ending: Ending,
  ) {
    this.#on = on;
    this.#channel = channel;
    this.#request = request;
    this.#handler = handler;
    this.#ending = ending;
  }

  resolve(outcome: SendOutcome): void {
    const task = outcome.kind === 'answered' ? taskIn(outcome.result, this.#request) : undefined;
    if (task === undefined) this.#ending.resolve(outcome);
    else settleWith(this.#ending, this.#follow(task));
  }

  reject(error: unknown): void {
    this.#ending.reject(error);
  }

  async #follow(task: UpstreamTask): Promise<SendOutcome> {
    this.#channel.isTask = true;
    becomeTask(this.#channel);
    const release = this.#on.server.hold();
    try {
      return await followTask(this.#on, task, this.#ending, this.#handler);
    } finally {
      release();
    }
  }
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
