// Step 7: sends the request, and lets the upstream ask its caller before it answers: at once where the caller listens,
// else by an interim answer that the caller comes back to.
import { isQuestion } from '@portico/contracts';
import type { Clock, UpstreamPool, UpstreamRequest } from '@portico/upstream-pool';
import { type SendRequest, startConversation } from '../../interaction/conversation.js';
import type { ParkedCalls } from '../../interaction/parked-calls.js';
import { answerUnasked, dialogueOf, type Line } from '../../interaction/questioning.js';
import { bindingOf } from '../../interaction/request-state.js';
import type { Sampling } from '../../sampling/sampling.js';
import { type Asking, withTickets } from '../../sampling/ticketed-dialogue.js';
import type { Contacting } from './contacting.js';
import { holdOf, senderTo, upstreamOf } from './invoke.js';
import { answerable, answerRound, sentBefore, withTurn } from './rounds.js';
import { sendToEnd, withTask } from './send-to-end.js';
import { resume, takeUp } from './take-up.js';
import { interim, type TurnAnswer, waitForTurn } from './wait-for-turn.js';

export interface ConverseDeps {
  readonly clock: Clock;
  readonly pool: UpstreamPool;
  readonly parked: ParkedCalls;
  readonly sampling: Sampling;
}

/** @throws CallFailure as `invoke`, and INVALID_ARGS for a state or answers that are not to be used */
export async function converse(
  on: ConverseDeps,
  contacting: Contacting,
  request: UpstreamRequest,
): Promise<TurnAnswer> {
  const { call, target } = contacting;
  const waiting = takeUp(on.parked, contacting);
  if (waiting?.kind === 'repeat') return interim(contacting, waiting.call.conversation.open(), waiting.state);
  if (waiting === undefined) return send(on, contacting, request);
  resume(waiting.call, contacting);
  const requestId = waiting.call.requestId ?? call.correlation.requestId;
  return waitForTurn(on.parked, contacting, { ...waiting.call, binding: bindingOf(call, target), requestId });
}

/** Round by round, where the upstream asks by its answers and the caller listens. */
async function send(on: ConverseDeps, contacting: Contacting, request: UpstreamRequest): Promise<TurnAnswer> {
  const { call, target, operation } = contacting;
  const { client, task, correlation } = call;
  const line: Line = { client, operation, task, isTask: false };
  const hold = holdOf(on.pool, target);
  const toServer = { send: senderTo(on.pool, target), hold, clock: on.clock };
  const asking: Asking = { sampling: on.sampling, serverId: target.server, call };
  const binding = bindingOf(call, target);
  const first = withTask(request, target);
  let round = withTurn(first, upstreamOf(on.pool, target), call);
  for (let rounds = 1; ; rounds += 1) {
    const sent = round;
    const sendRound: SendRequest = (deadline, park) => {
      const dialogue = withTickets(asking, line, dialogueOf(line, park, answerUnasked, task !== undefined));
      return sendToEnd(toServer, line, sent, deadline, dialogue);
    };
    const conversation = startConversation(sendRound, line.operation, () => line.operation.atMs);
    if (task?.isPreferred) task.become();
    const requestId = correlation.requestId;
    const turn = waitForTurn(on.parked, contacting, { conversation, line, binding, requestId });
    const answer = await (rounds === 1 ? turn : turn.catch((error: unknown) => sentBefore(contacting, error)));
    if (!isQuestion(answer.data) || client === undefined) return answer;
    if (client.ask === undefined) return answerable(contacting, client, answer);
    const release = hold(); // a person may take long
    round = await answerRound(contacting, asking, line, first, { data: answer.data, rounds }).finally(release);
  }
}
