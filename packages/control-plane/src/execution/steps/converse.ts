// Step 7: sends the request, and lets the upstream ask its caller before it answers: at once where the caller listens,
// else by an interim answer that the caller comes back to.
import { isQuestion } from '@portico/contracts';
import type { Clock, UpstreamPool, UpstreamRequest } from '@portico/upstream-pool';
import type { CallClient } from '../../call/client.js';
import type { ParkedCalls } from '../../interaction/parked-calls.js';
import { PendingRequest } from '../../interaction/pending-request.js';
import type { CallerChannel } from '../../interaction/questioning.js';
import { type Asking, CallerRequestHandler } from '../../sampling/caller-request-handler.js';
import type { Sampling } from '../../sampling/sampling.js';
import { ServerOfTarget, upstreamOf } from './invoke.js';
import { findParked, resume } from './resume-parked.js';
import { answerable, answerRound, sentBefore, withTurn } from './rounds.js';
import { sendToEnd, type ToServer, withTask } from './send-to-end.js';
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
  const waiting = findParked(on.parked, upstreamCall);
  if (waiting === undefined) return send(on, upstreamCall, request);
  if (waiting.kind === 'repeat')
    return Promise.resolve(interim(upstreamCall, waiting.call.request.open(), waiting.state));
  resume(waiting.call, upstreamCall);
  const requestId = waiting.call.requestId ?? call.correlation.requestId;
  const { request: pending, channel } = waiting.call;
  return waitForTurn(on.parked, upstreamCall, { request: pending, channel, requestId });
}

function send(on: ConverseDeps, upstreamCall: UpstreamCall, request: UpstreamRequest): Promise<TurnAnswer> {
  const { call, target, operation } = upstreamCall;
  const { client, task } = call;
  const conversation: Conversation = {
    upstreamCall,
    channel: { client, operation, task, isTask: false },
    asking: { sampling: on.sampling, serverId: target.server, call },
    toServer: { server: new ServerOfTarget(on.pool, target), clock: on.clock },
    first: withTask(request, target),
  };
  const turn = sendRound(on, conversation, withTurn(conversation.first, upstreamOf(on.pool, target), call));
  return client === undefined ? turn : answerRounds(on, conversation, client, turn);
}

/** What the rounds of a request share. */
interface Conversation {
  readonly upstreamCall: UpstreamCall;
  readonly channel: CallerChannel;
  readonly asking: Asking;
  readonly toServer: ToServer;
  readonly first: UpstreamRequest;
}

function sendRound(
  { parked }: ConverseDeps,
  { upstreamCall, channel, asking, toServer }: Conversation,
  round: UpstreamRequest,
): Promise<TurnAnswer> {
  const { task, correlation } = upstreamCall.call;
  const request = new PendingRequest(channel);
  const handler = new CallerRequestHandler(asking, channel, (question, signal) => request.park(question, signal));
  sendToEnd(toServer, channel, round, handler, request);
  if (task?.isPreferred) task.become();
  return waitForTurn(parked, upstreamCall, { request, channel, requestId: correlation.requestId });
}

/** Round by round, where the upstream asks by its answers and the client listens. */
async function answerRounds(
  on: ConverseDeps,
  conversation: Conversation,
  client: CallClient,
  turn: Promise<TurnAnswer>,
): Promise<TurnAnswer> {
  const { upstreamCall, channel, asking, toServer, first } = conversation;
  let answer = await turn;
  for (let rounds = 1; isQuestion(answer.data); rounds += 1) {
    if (client.ask === undefined) return answerable(upstreamCall, client, answer);
    const release = toServer.server.hold(); // a person may take long
    const asked = answerRound(upstreamCall, asking, channel, first, { data: answer.data, rounds });
    const round = await asked.finally(release);
    answer = await sendRound(on, conversation, round).catch((error: unknown) => sentBefore(upstreamCall, error));
  }
  return answer;
}
