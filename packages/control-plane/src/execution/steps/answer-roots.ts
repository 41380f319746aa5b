// Answers the roots that a server of 2026-07-28 asks for by its answer, where its caller is not to be asked for them. The
// server is called again with all that it asked in one round: it may keep nothing between two of them.
import type { JsonObject, JsonValue } from '@portico/contracts';
import { canAnswer, type ServerRequest, type UpstreamRequest } from '@portico/upstream-pool';
import type { CallClient } from '../../call/client.js';
import { requestsIn, toQuestion } from '../../interaction/input-requests.js';
import { type Asking, rootsInPlaceOf } from '../../sampling/answer-server-request.js';

export interface RootsRound {
  /** The result without the questions for roots. */
  readonly rest: JsonObject;
  /** The questions left for the caller; undefined if the caller does not answer one of them. */
  readonly others: readonly (readonly [string, ServerRequest])[] | undefined;
  /** The next round, with the answers of the caller to the others. */
  toRequest(answers: JsonObject): UpstreamRequest;
}

/** Undefined if roots are not asked for, or the caller is asked. @param first the request of the first round */
export function withRoots(asking: Asking, first: UpstreamRequest, result: JsonObject): RootsRound | undefined {
  const roots: Record<string, JsonObject> = {};
  const left: Record<string, JsonValue> = {};
  const others: (readonly [string, ServerRequest])[] = [];
  for (const [name, request = null] of requestsIn(result)) {
    const question = toQuestion(request);
    const configured = question?.method === 'roots/list' ? rootsInPlaceOf(asking, question) : undefined;
    if (configured !== undefined) roots[name] = configured;
    else left[name] = request;
    if (configured === undefined && isAnswered(asking.call?.client, question)) others.push([name, question]);
  }
  if (Object.keys(roots).length === 0) return undefined;
  const { requestState } = result;
  return {
    rest: { ...result, inputRequests: left },
    others: others.length === Object.keys(left).length ? others : undefined,
    toRequest(answers) {
      const { requestState: _, ...params } = first.params;
      const inputResponses = { ...answers, ...roots };
      return {
        ...first,
        params: { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) },
      };
    },
  };
}

function isAnswered(client: CallClient | undefined, question: ServerRequest | undefined): question is ServerRequest {
  return question !== undefined && (client === undefined || canAnswer(client.capabilities, question));
}
