// Answers the roots that a server of 2026-07-28 asks for by its answer, where its caller is not to be asked for them: the
// server is called again with the configured ones, and with nothing else, so that it asks once more for what is left.
import type { JsonObject } from '@portico/contracts';
import type { UpstreamRequest } from '@portico/upstream-pool';
import { requestsIn, toQuestion } from '../../interaction/input-requests.js';
import { type Asking, rootsInPlaceOf } from '../../sampling/answer-server-request.js';

export interface RootsRound {
  readonly request: UpstreamRequest;
  /** Whether other questions are left for the caller: the server asks them once more. */
  readonly isPartial: boolean;
}

/** The next round. Undefined where roots are not asked for, or the caller is asked. @param first the request of the first round */
export function withRoots(asking: Asking, first: UpstreamRequest, result: JsonObject): RootsRound | undefined {
  const questions = requestsIn(result).map(([name, request]) => [name, toQuestion(request)] as const);
  const answers = questions.flatMap(([name, question]) => {
    const roots = question?.method === 'roots/list' ? rootsInPlaceOf(asking, question) : undefined;
    return roots === undefined ? [] : [[name, roots] as const];
  });
  if (answers.length === 0) return undefined;
  const { inputResponses: _, requestState: __, ...params } = first.params;
  const { requestState } = result;
  const inputResponses = Object.fromEntries(answers);
  return {
    request: {
      ...first,
      params: { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) },
    },
    isPartial: answers.length < questions.length,
  };
}
