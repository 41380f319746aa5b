// Rounds with an upstream that answers with questions and is called again with the answers (MCP 2026-07-28, multi
// round-trip requests): by its caller, or by us where the caller answers while its call runs.
import { isJsonObject, isQuestion, type JsonObject, type JsonValue } from '@portico/contracts';
import {
  canAnswer,
  capabilityFor,
  type Upstream,
  type UpstreamPool,
  type UpstreamRequest,
} from '@portico/upstream-pool';
import { CallFailure } from '../../call/call.js';
import type { CallClient } from '../../call/client.js';
import { asFailure } from '../../call/failures.js';
import { requestsIn, toQuestion } from '../../interaction/input-requests.js';
import { badState } from '../../interaction/parked-calls.js';
import { type Asked, type Asking, askInRound } from '../../sampling/answer-server-request.js';
import { retryOf } from '../../state/target.js';
import type { Attempt } from './classify.js';
import { failureOf } from './send-failure.js';
import { ServerOfTarget } from './server-of-target.js';
import type { TurnAnswer } from './turn-answer.js';

/** A server that asks more often than this of a caller that answers at once is going round in circles. */
export const maxRounds = 16;

/** The caller's answers to what an upstream has asked by its answer, and the state that it gave with the questions. */
interface FurtherTurn {
  readonly inputResponses?: JsonObject | undefined;
  readonly requestState?: JsonValue | undefined;
}

/** The upstream's own earlier state is returned to it byte for byte. @throws CallFailure INVALID_ARGS */
export function withTurn(request: UpstreamRequest, upstream: Upstream, turn: FurtherTurn): UpstreamRequest {
  const revision = upstream.traits?.protocolVersion;
  if (revision !== undefined && revision < '2026-07-28') throw badState(); // it gives no state, and this one is not ours
  return withAnswers(request, turn);
}

function withAnswers(request: UpstreamRequest, { inputResponses, requestState }: FurtherTurn): UpstreamRequest {
  return {
    ...request,
    params: {
      ...request.params,
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    },
  };
}

interface Round {
  readonly pending: Pending;
  /** The request of the first round. */
  readonly request: UpstreamRequest;
  readonly send: (request: UpstreamRequest) => Pending;
}

interface Pending extends Pick<Asked, 'asking' | 'client' | 'operation'> {
  next(): Promise<TurnAnswer | CallFailure>;
}

/** Round by round, where the upstream asks by its answers and the client listens. @throws CallFailure for what the client does not answer */
export async function answerRounds(
  pool: Pick<UpstreamPool, 'get'>,
  attempt: Attempt,
  client: CallClient,
  { pending: first, request, send }: Round,
): Promise<TurnAnswer | CallFailure> {
  let pending = first;
  let answer = await pending.next();
  for (let rounds = 1; !(answer instanceof CallFailure) && isQuestion(answer.data); rounds += 1) {
    if (client.ask === undefined) return answerable(attempt, client, answer, pending.asking);
    const release = new ServerOfTarget(pool, attempt.target).hold(); // a person may take long
    const turn = await answerRound(attempt, pending, { data: answer.data, rounds }).finally(release);
    try {
      pending = send(withAnswers(request, turn));
      answer = await pending.next();
    } catch (error) {
      answer = asFailure(error);
    }
    if (answer instanceof CallFailure) return sentBefore(attempt, answer);
  }
  return answer;
}

/** A client is not given questions that it has not declared to answer. @throws CallFailure UPSTREAM_ERROR */
function answerable(
  attempt: Attempt,
  { capabilities }: CallClient,
  answer: TurnAnswer,
  { onRefused }: Pick<Asking, 'onRefused'>,
): TurnAnswer {
  const { target, claim } = attempt;
  for (const [, request] of requestsIn(answer.data)) {
    const question = toQuestion(request);
    if (question === undefined) throw unanswered(attempt, whatNobodyAnswers(request));
    if (canAnswer(capabilities, question)) continue;
    onRefused(question, 'caller_cannot_answer');
    const data = { requiredCapabilities: capabilityFor(question) };
    const message = `server "${target.server}" asks for ${question.method}, which the client does not declare`;
    const rpcError = { code: missingCapability, message, data };
    throw new CallFailure('UPSTREAM_ERROR', message, retryOf(target, claim !== null, 'unknown'), { rpcError });
  }
  return answer;
}

const missingCapability = -32021;

/** Has a caller that listens answer. @throws CallFailure UPSTREAM_ERROR */
async function answerRound(
  attempt: Attempt,
  pending: Pending,
  { data, rounds }: { readonly data: JsonObject; readonly rounds: number },
): Promise<FurtherTurn> {
  if (rounds > maxRounds) throw unanswered(attempt, `it asked more than ${maxRounds} times (a fixed limit)`);
  const { signal } = attempt.run.operation;
  const inputResponses: Record<string, JsonObject> = {};
  for (const [name, asked] of requestsIn(data)) {
    const question = toQuestion(asked);
    if (question === undefined) throw unanswered(attempt, whatNobodyAnswers(asked));
    try {
      inputResponses[name] = await askInRound(pending.asking, pending, question, signal);
    } catch (error) {
      const { target, claim } = attempt;
      if (signal.aborted) throw failureOf(target, { kind: 'aborted', sent: true }, signal, claim !== null);
      throw unanswered(attempt, error instanceof Error ? error.message : String(error));
    }
  }
  return { inputResponses, requestState: data.requestState };
}

/** The failure of a later round that was not sent: the round before it was, and what it did is not known. */
export function sentBefore({ target, claim }: Attempt, failure: CallFailure): CallFailure {
  if (failure.retry.upstream_execution_state !== 'not_started') return failure;
  const { code, message, retryable, rpcError } = failure;
  return new CallFailure(code, message, retryOf(target, claim !== null, 'unknown'), {
    ...(retryable === undefined ? {} : { retryable }),
    ...(rpcError === undefined ? {} : { rpcError }),
  });
}

function whatNobodyAnswers(request: unknown): string {
  const method = isJsonObject(request) ? request.method : undefined;
  return `it asks for ${JSON.stringify(method)}, which no client answers`;
}

function unanswered({ target, claim }: Attempt, reason: string): CallFailure {
  const retry = retryOf(target, claim !== null, 'unknown');
  return new CallFailure('UPSTREAM_ERROR', `server "${target.server}" got no answer of the caller: ${reason}`, retry);
}
