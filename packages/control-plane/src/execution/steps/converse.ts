// Step 7: sends the request, and lets the upstream ask its caller before it answers: at once where the caller listens,
// else by an interim answer that the caller comes back to.
import type { AbortSignalLike } from '@portico/async';
import { isQuestion } from '@portico/contracts';
import type { Clock, SendDeadline, UpstreamPool, UpstreamRequest } from '@portico/upstream-pool';
import type { ParkedCalls } from '../../interaction/parked-calls.js';
import { PendingRequest } from '../../interaction/pending-request.js';
import type { CallerChannel } from '../../interaction/questioning.js';
import type { Sampling } from '../../sampling/sampling.js';
import { type Asking, CallerDialogue } from '../../sampling/ticketed-dialogue.js';
import { holdOf, senderTo, upstreamOf } from './invoke.js';
import { answerable, answerRound, sentBefore, withTurn } from './rounds.js';
import { sendToEnd, withTask } from './send-to-end.js';
import { resume, takeUp } from './take-up.js';
import type { UpstreamCall } from './upstream-call.js';
import { interim, type TurnAnswer, waitForTurn } from './wait-for-turn.js';

export interface ConverseDeps {
  readonly clock: Clock;
  readonly pool: UpstreamPool;
  readonly parked: ParkedCalls;
  readonly sampling: Sampling;
}

/** @throws CallFailure as `invoke`, and INVALID_ARGS for a state or answers that are not to be used: that one before it returns a promise */
export function converse(on: ConverseDeps, upstreamCall: UpstreamCall, request: UpstreamRequest): Promise<TurnAnswer> {
  const { call } = upstreamCall;
  const waiting = takeUp(on.parked, upstreamCall);
  if (waiting === undefined) return send(on, upstreamCall, request);
  if (waiting.kind === 'repeat')
    return Promise.resolve(interim(upstreamCall, waiting.call.request.open(), waiting.state));
  resume(waiting.call, upstreamCall);
  const requestId = waiting.call.requestId ?? call.correlation.requestId;
  const { request: pending, channel } = waiting.call;
  return waitForTurn(on.parked, upstreamCall, { request: pending, channel, requestId });
}

/** Round by round, where the upstream asks by its answers and the caller listens. */
async function send(on: ConverseDeps, upstreamCall: UpstreamCall, request: UpstreamRequest): Promise<TurnAnswer> {
  const { call, target, operation } = upstreamCall;
  const { client, task, correlation } = call;
  const channel: CallerChannel = { client, operation, task, isTask: false };
  const hold = holdOf(on.pool, target);
  const toServer = { send: senderTo(on.pool, target), hold, clock: on.clock };
  const asking: Asking = { sampling: on.sampling, serverId: target.server, call };
  const first = withTask(request, target);
  let round = withTurn(first, upstreamOf(on.pool, target), call);
  for (let rounds = 1; ; rounds += 1) {
    const pending = new PendingRequest(channel.operation);
    const dialogue = new CallerDialogue(asking, channel, (question, signal) => pending.park(question, signal));
    pending.follow(sendToEnd(toServer, channel, round, new ChannelDeadline(channel), dialogue));
    if (task?.isPreferred) task.become();
    const requestId = correlation.requestId;
    const turn = waitForTurn(on.parked, upstreamCall, { request: pending, channel, requestId });
    const answer = await (rounds === 1 ? turn : turn.catch((error: unknown) => sentBefore(upstreamCall, error)));
    if (!isQuestion(answer.data) || client === undefined) return answer;
    if (client.ask === undefined) return answerable(upstreamCall, client, answer);
    const release = hold(); // a person may take long
    round = await answerRound(upstreamCall, asking, channel, first, { data: answer.data, rounds }).finally(release);
  }
}

/** Of the request that is on the channel, under the signal of the first: that goes on when the first one is over. */
class ChannelDeadline implements SendDeadline {
  readonly signal: AbortSignalLike;
  readonly #channel: CallerChannel;

  constructor(channel: CallerChannel) {
    this.signal = channel.operation.signal;
    this.#channel = channel;
  }

  get atMs(): number {
    return this.#channel.operation.atMs;
  }
}
