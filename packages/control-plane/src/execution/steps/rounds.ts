// Rounds with an upstream that answers with questions and is called again with the answers (MCP 2026-07-28, multi
// round-trip requests): by its caller, or by us where the caller answers while its call runs.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { Upstream, UpstreamRequest } from '@portico/upstream-pool';
import { type Call, CallFailure } from '../../call/call.js';
import type { CallClient } from '../../call/client.js';
import { retryOf } from '../../call/failures.js';
import { canAnswer, capabilityFor } from '../../interaction/answerable.js';
import { requestsIn, toQuestion } from '../../interaction/input-requests.js';
import { badState } from '../../interaction/parked-calls.js';
import type { CallerChannel } from '../../interaction/questioning.js';
import { type Asking, askInRound } from '../../sampling/caller-request-handler.js';
import { failureOf, type UpstreamAnswer } from './invoke.js';
import type { UpstreamCall } from './upstream-call.js';

/** A server that asks more often than this of a caller that answers at once is going round in circles. */
const maxRounds = 16;

/** What the upstream itself has asked before goes back to it byte for byte. @throws CallFailure INVALID_ARGS */
export function withTurn(
  request: UpstreamRequest,
  upstream: Upstream,
  { inputResponses, requestState }: Call,
): UpstreamRequest {
  if (inputResponses === undefined && requestState === undefined) return request;
  const revision = upstream.traits?.protocolVersion;
  if (revision !== undefined && revision < '2026-07-28') throw badState(); // it gives no state, and this one is not ours
  return withAnswers(request, inputResponses, requestState);
}

function withAnswers(
  request: UpstreamRequest,
  inputResponses: JsonObject | undefined,
  requestState: JsonObject[string] | undefined,
): UpstreamRequest {
  return {
    ...request,
    params: {
      ...request.params,
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    },
  };
}

/** A client is not given questions that it has not declared to answer. @throws CallFailure UPSTREAM_ERROR */
export function answerable<T extends UpstreamAnswer>(
  upstreamCall: UpstreamCall,
  { capabilities }: CallClient,
  answer: T,
): T {
  const { target, claim } = upstreamCall;
  for (const [, request] of requestsIn(answer.data)) {
    const question = toQuestion(request);
    if (question === undefined) throw unanswered(upstreamCall, whatNobodyAnswers(request));
    if (canAnswer(capabilities, question)) continue;
    const data = { requiredCapabilities: capabilityFor(question) };
    const message = `server "${target.server}" asks for ${question.method}, which the client does not declare`;
    const rpcError = { code: missingCapability, message, data };
    throw new CallFailure('UPSTREAM_ERROR', message, retryOf(target, claim !== null, 'unknown'), { rpcError });
  }
  return answer;
}

const missingCapability = -32021;

/** Has a caller that listens answer, and gives the request of the next round. @throws CallFailure UPSTREAM_ERROR */
export async function answerRound(
  upstreamCall: UpstreamCall,
  asking: Asking,
  channel: CallerChannel,
  request: UpstreamRequest,
  { data, rounds }: { readonly data: JsonObject; readonly rounds: number },
): Promise<UpstreamRequest> {
  if (rounds > maxRounds) throw unanswered(upstreamCall, `it asked more than ${maxRounds} times`);
  const inputResponses: Record<string, JsonObject> = {};
  for (const [name, asked] of requestsIn(data)) {
    const question = toQuestion(asked);
    if (question === undefined) throw unanswered(upstreamCall, whatNobodyAnswers(asked));
    try {
      inputResponses[name] = await askInRound(asking, channel, question, upstreamCall.operation.signal);
    } catch (error) {
      const { target, operation, claim } = upstreamCall;
      if (operation.signal.aborted)
        throw failureOf(target, { kind: 'aborted', sent: true }, operation.signal, claim !== null);
      throw unanswered(upstreamCall, error instanceof Error ? error.message : String(error));
    }
  }
  return withAnswers(request, inputResponses, data.requestState);
}

/** The failure of a later round that was not sent: the round before it was, and what it did is not known. @throws */
export function sentBefore({ target, claim }: UpstreamCall, error: unknown): never {
  if (!(error instanceof CallFailure) || error.retry.upstream_execution_state !== 'not_started') throw error;
  const { code, message, retryable, rpcError } = error;
  throw new CallFailure(code, message, retryOf(target, claim !== null, 'unknown'), {
    ...(retryable === undefined ? {} : { retryable }),
    ...(rpcError === undefined ? {} : { rpcError }),
  });
}

function whatNobodyAnswers(request: unknown): string {
  const method = isJsonObject(request) ? request.method : undefined;
  return `it asks for ${JSON.stringify(method)}, which no client answers`;
}

function unanswered({ target, claim }: UpstreamCall, reason: string): CallFailure {
  const retry = retryOf(target, claim !== null, 'unknown');
  return new CallFailure('UPSTREAM_ERROR', `server "${target.server}" got no answer of the caller: ${reason}`, retry);
}
