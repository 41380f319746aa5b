// Step 7: sends the request, and lets the upstream ask its caller before it answers: at once where the caller listens,
// else by an interim answer that the caller comes back to.
import { isJsonObject, type JsonObject, type ToolDefinition } from '@portico/contracts';
import {
  type Clock,
  type Dialogue,
  type Question,
  type QuestionMethod,
  questionMethods,
  type SendDeadline,
  type SendOutcome,
  type Upstream,
  type UpstreamPool,
  type UpstreamRequest,
} from '@portico/upstream-pool';
import { type Call, CallFailure } from '../call.js';
import { canAnswer, capabilityFor } from '../interaction/answerable.js';
import type { CallClient } from '../interaction/client.js';
import { type Questions, type SendRequest, startConversation } from '../interaction/conversation.js';
import { badState, type ParkedCall, type ParkedCalls } from '../interaction/parked-calls.js';
import { answersIn, answerUnasked, dialogueOf, type Line } from '../interaction/questioning.js';
import { bindingOf, type StateBinding } from '../interaction/request-state.js';
import { isQuestion } from '../interim.js';
import type { Operation } from '../operations.js';
import { retryOf } from '../retry.js';
import type { Sampling } from '../sampling/sampling.js';
import { type Asking, askInRound, withTickets } from '../sampling/ticketed-dialogue.js';
import { taskTtlMs } from '../tasks/task.js';
import { type FollowDeps, followTask, taskIn } from './follow-task.js';
import { type Answer, answerOf, failureOf, upstreamOf } from './invoke.js';
import type { Target } from './resolve.js';

export interface ConverseDeps {
  readonly clock: Clock;
  readonly pool: UpstreamPool;
  readonly parked: ParkedCalls;
  readonly sampling: Sampling;
}

/** One call on its way to its upstream. */
export interface Contacting {
  readonly call: Call;
  readonly target: Target;
  readonly operation: Operation;
  /** Idempotency key in force; null for none. */
  readonly key: string | null;
}

/** A server that asks more often than this of a caller that answers at once is going round in circles. */
const maxRounds = 16;

/** @throws CallFailure as `invoke`, and INVALID_ARGS for a state that is not to be used */
export async function converse(
  on: ConverseDeps,
  contacting: Contacting,
  request: UpstreamRequest,
): Promise<Answer & { readonly data: JsonObject }> {
  const { call, target, operation, key } = contacting;
  const binding = bindingOf(call, target);
  const waiting = takeUp(on.parked, call, binding, key);
  if (waiting?.kind === 'repeat') return interim(contacting, waiting.call.conversation.open(), waiting.state);

  const line: Line = { client: call.client, operation, task: call.task, isTask: false };
  if (waiting !== undefined) {
    takeLine(waiting.call.line, line);
    waiting.call.conversation.answer(answersIn(call.inputResponses));
    return wait(on, contacting, waiting.call);
  }

  const upstream = upstreamOf(on.pool, target);
  const asking: Asking = { sampling: on.sampling, serverId: target.server, call };
  const first = withTask(request, target);
  let round = withTurn(first, upstream, call);
  for (let rounds = 1; ; rounds += 1) {
    const sent = round;
    const send: SendRequest = (deadline, park) => {
      const dialogue = withTickets(asking, line, dialogueOf(line, park, answerUnasked, call.task !== undefined));
      return sendToEnd({ upstream, clock: on.clock }, line, sent, deadline, dialogue);
    };
    const conversation = startConversation(send, () => line.operation.atMs);
    if (call.task?.isPreferred) call.task.become();
    const requestId = call.correlation.requestId;
    const answer = await wait(on, contacting, { conversation, line, binding, requestId, key });
    if (!isQuestion(answer.data) || call.client === undefined) return answer;
    if (call.client.ask === undefined) return answerable(contacting, call.client, answer);
    if (rounds > maxRounds) throw unanswered(contacting, `it asked more than ${maxRounds} times`);
    round = await answerRound(contacting, asking, line, first, answer.data);
  }
}

type TakenUp =
  | { readonly kind: 'resume'; readonly call: ParkedCall }
  /** The first request once more, under its key: the same questions again. */
  | { readonly kind: 'repeat'; readonly call: ParkedCall; readonly state: string };

function takeUp(
  parked: ParkedCalls,
  { requestState, caller }: Call,
  binding: StateBinding,
  key: string | null,
): TakenUp | undefined {
  if (requestState !== undefined) {
    const call = parked.take(requestState, binding);
    return call && { kind: 'resume', call };
  }
  const same = key === null ? undefined : parked.stateOf(caller.principal, key);
  if (same === undefined) return undefined;
  if (!parked.has(same.state, binding)) {
    const message = `idempotency key ${JSON.stringify(key)} belongs to another call, which waits for answers; use a new key`;
    throw new CallFailure('INVALID_ARGS', message);
  }
  if (same.call.conversation.open().size > 0) return { kind: 'repeat', ...same };
  const call = parked.take(same.state, binding); // what it was asked, others have answered
  return call && { kind: 'resume', call };
}

/** A tool of 2025-11-25 that has to be run as a task is run as one. */
function withTask(request: UpstreamRequest, { tool }: Target): UpstreamRequest {
  if (!needsTask(tool)) return request;
  return { ...request, params: { ...request.params, task: { ttl: taskTtlMs } } };
}

export function needsTask(tool: ToolDefinition | undefined): boolean {
  const execution = tool?.execution;
  return isJsonObject(execution) && execution.taskSupport === 'required';
}

/** Sends the request, and follows the task that the upstream may make of it. A caller that takes tasks need not wait. */
async function sendToEnd(
  on: FollowDeps,
  line: Line,
  request: UpstreamRequest,
  deadline: SendDeadline,
  dialogue: Dialogue,
): Promise<SendOutcome> {
  const outcome = await on.upstream.send(request, deadline, dialogue);
  const task = outcome.kind === 'answered' ? taskIn(outcome.result, request) : undefined;
  if (task === undefined) return outcome;
  line.isTask = true;
  becomeTask(line);
  return followTask(on, task, deadline, dialogue);
}

/** A caller that takes tasks need not wait for one, nor is it hurried. */
function becomeTask({ task, operation }: Line): void {
  if (task === undefined) return;
  operation.hold(); // for good
  task.become();
}

/** Another request takes up a call that waits. */
function takeLine(line: Line, { client, operation, task }: Line): void {
  Object.assign(line, { client, operation, task });
  if (line.isTask) becomeTask(line);
  else if (task?.isPreferred) task.become();
}

/** What the upstream itself has asked before goes back to it byte for byte (MCP 2026-07-28, multi round-trip requests). */
function withTurn(
  request: UpstreamRequest,
  upstream: Upstream,
  { inputResponses, requestState }: Call,
): UpstreamRequest {
  if (inputResponses === undefined && requestState === undefined) return request;
  const revision = upstream.info().protocol_version;
  if (revision !== null && revision < '2026-07-28') throw badState(); // it gives no state, and this one is not ours
  return {
    ...request,
    params: {
      ...request.params,
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    },
  };
}

/** The answer, or the questions that come first. */
async function wait({ parked }: ConverseDeps, contacting: Contacting, call: ParkedCall) {
  const { target, operation, key } = contacting;
  const { conversation } = call;
  const turn = await conversation.next(operation);
  if (turn.kind === 'ended') return answerOf(target, turn.outcome, conversation.signal, key !== null);
  return interim(contacting, turn.questions, parked.park(call));
}

function interim({ target, key }: Contacting, questions: Questions, requestState: string) {
  const inputRequests = Object.fromEntries([...questions].map(([name, question]) => [name, toInputRequest(question)]));
  return {
    data: { resultType: 'input_required', inputRequests, requestState },
    retry: retryOf(target, key !== null, 'unknown'),
  };
}

/** 2026-07-28 has no ids of elicitations: the state stands for them. */
function toInputRequest({ method, params }: Question): JsonObject {
  const { elicitationId: _, _meta, ...rest } = params;
  return { method, params: rest };
}

/** A client is not given questions that it has not declared to answer (MCP 2026-07-28, multi round-trip requests). */
function answerable<T extends Answer & { readonly data: JsonObject }>(
  { target, key }: Contacting,
  { capabilities }: CallClient,
  answer: T,
): T {
  const { inputRequests } = answer.data;
  for (const asked of Object.values(isJsonObject(inputRequests) ? inputRequests : {})) {
    const question = toQuestion(asked);
    if (canAnswer(capabilities, question)) continue;
    const data = { requiredCapabilities: capabilityFor(question) };
    const message = `server "${target.server}" asks for ${question.method}, which the client does not declare`;
    const rpcError = { code: missingCapability, message, data };
    throw new CallFailure('UPSTREAM_ERROR', message, retryOf(target, key !== null, 'unknown'), { rpcError });
  }
  return answer;
}

const missingCapability = -32021;

async function answerRound(
  contacting: Contacting,
  asking: Asking,
  line: Line,
  request: UpstreamRequest,
  { inputRequests, requestState }: JsonObject,
): Promise<UpstreamRequest> {
  const inputResponses: Record<string, JsonObject> = {};
  for (const [name, asked] of Object.entries(isJsonObject(inputRequests) ? inputRequests : {})) {
    try {
      inputResponses[name] = await askInRound(asking, line, toQuestion(asked), contacting.operation.signal);
    } catch (error) {
      const { target, operation, key } = contacting;
      if (operation.signal.aborted)
        throw failureOf(target, { kind: 'aborted', sent: true }, operation.signal, key !== null);
      throw unanswered(contacting, error instanceof Error ? error.message : String(error));
    }
  }
  const state = requestState === undefined ? {} : { requestState };
  return { ...request, params: { ...request.params, inputResponses, ...state } };
}

function toQuestion(asked: unknown): Question {
  const { method, params } = isJsonObject(asked) ? asked : {};
  const known = questionMethods.find((each): each is QuestionMethod => each === method);
  if (known === undefined) throw new Error(`it asks for ${JSON.stringify(method)}, which no client answers`);
  return { method: known, params: isJsonObject(params) ? params : {} };
}

function unanswered({ target, key }: Contacting, reason: string): CallFailure {
  const retry = retryOf(target, key !== null, 'unknown');
  return new CallFailure('UPSTREAM_ERROR', `server "${target.server}" got no answer of the caller: ${reason}`, retry);
}
