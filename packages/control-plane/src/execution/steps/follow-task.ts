// A task that an upstream made of a call: followed to its end, so that the caller gets the result like that of any
// other call. Questions of the task are put to the caller.
import type { AbortSignalLike } from '@portico/async';
import { isJsonObject, type JsonObject, type JsonValue, mayHoldExact, membersOf } from '@portico/contracts';
import {
  type Clock,
  type SendDeadline,
  type SendOutcome,
  type ServerRequestHandler,
  ServerRequestRefused,
  sendTo,
  type Upstream,
  type UpstreamPool,
  type UpstreamRequest,
} from '@portico/upstream-pool';
import type { Target } from '../../call/target.js';
import { toQuestion } from '../../interaction/input-requests.js';
import { ServerOfTarget } from './server-of-target.js';

/** A task as its upstream named it. */
export interface UpstreamTask {
  readonly id: string;
  /** Tasks of 2025-11-25 wait for their result; those of the extension of 2026-07-28 are asked for it. */
  readonly era: 'legacy' | 'modern';
  readonly pollMs: number;
}

/** How long a server may be away before its task counts as lost. */
const patienceMs = 300_000;
/** Time limit for the cancel request of a task, milliseconds. */
const cancelMs = 5000;
const pollBounds = { least: 100, usual: 1000, most: 60_000 };

/** The task in a result. @param request the original request: a task of 2025-11-25 is created only upon request */
export function taskIn(result: JsonObject, request: UpstreamRequest): UpstreamTask | undefined {
  if (result.resultType === 'task' && typeof result.taskId === 'string') {
    return { id: result.taskId, era: 'modern', pollMs: pollMsOf(result.pollIntervalMs) };
  }
  const { task } = result;
  if (request.params.task === undefined || !isJsonObject(task) || typeof task.taskId !== 'string') return undefined;
  return { id: task.taskId, era: 'legacy', pollMs: pollMsOf(task.pollInterval) };
}

function pollMsOf(given: JsonValue | undefined): number {
  const ms = typeof given === 'number' && given > 0 ? given : pollBounds.usual;
  return Math.min(Math.max(ms, pollBounds.least), pollBounds.most);
}

export interface FollowDeps {
  /** Reaches the server as it is at that moment: it may be replaced while its task runs. */
  readonly server: Pick<Upstream, 'dispatch'>;
  readonly clock: Clock;
}

/** Resolves with the outcome of the call. An aborted signal has the upstream cancel the task. */
export async function followTask(
  on: FollowDeps,
  task: UpstreamTask,
  deadline: SendDeadline,
  handler: ServerRequestHandler,
): Promise<SendOutcome> {
  const send: Send = (method, more = {}) =>
    sendTo(on.server, { method, params: { taskId: task.id, ...more } }, deadline, handler);
  try {
    return asSent(await (task.era === 'legacy' ? send('tasks/result') : poll(on, task, deadline, send, handler)));
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    return { kind: 'aborted', sent: true };
  } finally {
    if (deadline.signal.aborted) cancelTask(on, task);
  }
}

/** As `followTask`, at the server of a target, which is not stopped as idle until then. */
export function followTaskOf(
  { clock, pool }: { readonly clock: Clock; readonly pool: Pick<UpstreamPool, 'get'> },
  target: Target,
  task: UpstreamTask,
  request: SendDeadline & ServerRequestHandler,
): Promise<SendOutcome> {
  const server = new ServerOfTarget(pool, target);
  const release = server.hold();
  return followTask({ clock, server }, task, request, request).finally(release);
}

/** The call was sent when the task was made of it, regardless of later requests. */
function asSent(outcome: SendOutcome): SendOutcome {
  switch (outcome.kind) {
    case 'answered':
    case 'rejected':
    case 'unasked':
    case 'withheld':
      return outcome;
    case 'aborted':
      return { kind: 'aborted', sent: true };
    case 'unreachable':
      return { ...outcome, sent: true };
    case 'queue_full':
      return {
        kind: 'unreachable',
        reason: 'too many calls wait for its place (limits.queuedCalls): the outcome of the task is not known',
        sent: true,
      };
    case 'circuit_open':
      return { kind: 'unreachable', reason: 'its circuit is open: the outcome of the task is not known', sent: true };
  }
}

type Send = (method: UpstreamRequest['method'], more?: JsonObject) => Promise<SendOutcome>;

async function poll(
  on: FollowDeps,
  task: UpstreamTask,
  { signal }: SendDeadline,
  send: Send,
  handler: ServerRequestHandler,
): Promise<SendOutcome> {
  const { clock } = on;
  const { pollMs } = task;
  const asked = new Set<string>();
  const patiently = (request: () => Promise<SendOutcome>) => sendPatiently(clock, pollMs, signal, request);
  for (;;) {
    const got = await patiently(() => send('tasks/get'));
    if (got.kind === 'rejected') return got;
    if (got.kind !== 'answered') return giveUp(on, task, signal, got);
    const { status, result, error, inputRequests } = got.result;
    switch (status) {
      case 'completed':
        return answeredWith(isJsonObject(result) ? result : {}, got.resultText);
      case 'failed':
        return { kind: 'rejected', error: toError(error, 'the task failed') };
      case 'cancelled':
        return { kind: 'rejected', error: toError(undefined, 'the task was cancelled at its server') };
      case 'input_required': {
        const inputResponses = await answersTo(inputRequests, asked, handler, signal);
        if (signal.aborted) return { kind: 'aborted', sent: true };
        if (Object.keys(inputResponses).length === 0) break;
        let mayHaveArrived = false;
        const updated = await patiently(async () => {
          const outcome = await send('tasks/update', { inputResponses });
          if (outcome.kind === 'unreachable' && outcome.sent) mayHaveArrived = true;
          return outcome;
        });
        if (updated.kind === 'answered') continue;
        // An update that was accepted before its connection was lost is refused when it is repeated: the task itself
        // shows its progress.
        if (updated.kind === 'rejected' && mayHaveArrived) break;
        return giveUp(on, task, signal, updated);
      }
    }
    await clock.sleep(pollMs, signal).catch(() => {}); // the next request says that it was aborted
  }
}

/** @param around the text of the result that it is a member of */
function answeredWith(result: JsonObject, around: string | undefined): SendOutcome {
  const isExact = around !== undefined && mayHoldExact.test(around);
  const member = isExact ? membersOf(around).find(({ name }) => name === 'result') : undefined;
  return { kind: 'answered', result, resultText: member?.valueText };
}

/** Repeats requests that do not reach their server, within the time that it may be unavailable. */
async function sendPatiently(
  clock: Clock,
  pollMs: number,
  signal: AbortSignalLike,
  request: () => Promise<SendOutcome>,
): Promise<SendOutcome> {
  let lostAtMs: number | undefined;
  for (;;) {
    const outcome = await request();
    if (outcome.kind === 'answered' || outcome.kind === 'rejected') return outcome;
    lostAtMs ??= clock.now();
    if (signal.aborted || clock.now() - lostAtMs > patienceMs) return outcome;
    await clock.sleep(pollMs, signal).catch(() => {});
  }
}

/** The task is no longer followed. A task whose signal aborted is cancelled anyway. */
function giveUp(on: FollowDeps, task: UpstreamTask, signal: AbortSignalLike, outcome: SendOutcome): SendOutcome {
  if (!signal.aborted) cancelTask(on, task);
  return outcome;
}

/** Asks what has not been asked before; a question that is refused is answered as declined. */
async function answersTo(
  inputRequests: JsonValue | undefined,
  asked: Set<string>,
  handler: ServerRequestHandler,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const open = Object.entries(isJsonObject(inputRequests) ? inputRequests : {}).filter(([key]) => !asked.has(key));
  const answers = await Promise.all(
    open.map(async ([key, request]) => {
      asked.add(key);
      const question = toQuestion(request);
      const answer = question && (await handler.onServerRequest(question, signal).catch(refusedAnswer));
      return [key, answer ?? { action: 'decline' }] as const;
    }),
  );
  return Object.fromEntries(answers);
}

function refusedAnswer(error: unknown): JsonObject | undefined {
  if (error instanceof ServerRequestRefused) return undefined;
  throw error;
}

function toError(error: JsonValue | undefined, fallback: string) {
  const { code, message, data } = isJsonObject(error) ? error : {};
  return {
    code: typeof code === 'number' ? code : internalError,
    message: typeof message === 'string' ? message : fallback,
    ...(data === undefined ? {} : { data }),
  };
}

const internalError = -32603;

/** Not awaited: a server that has ended has no task any more. */
function cancelTask({ server, clock }: FollowDeps, { id }: UpstreamTask): void {
  const control = new AbortController();
  const disarm = clock.after(cancelMs, () => control.abort());
  const sent = sendTo(
    server,
    { method: 'tasks/cancel', params: { taskId: id } },
    { signal: control.signal, atMs: clock.now() + cancelMs },
  );
  sent.then(disarm, disarm);
}
