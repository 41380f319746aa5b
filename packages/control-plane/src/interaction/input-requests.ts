// Questions as interim answers carry them (MCP 2026-07-28, `inputRequests`).
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { type ServerRequest, serverRequestMethods } from '@portico/upstream-pool';
import type { Questions } from './pending-questions.js';

/** The entries of the `inputRequests` of a result. */
export function requestsIn(data: JsonValue | undefined): readonly (readonly [string, JsonValue | undefined])[] {
  const requests = isJsonObject(data) ? data.inputRequests : undefined;
  return Object.entries(isJsonObject(requests) ? requests : {});
}

/** The questions of an interim answer that a client can answer. */
export function questionsIn({ inputRequests }: { readonly inputRequests: JsonObject | null }): Questions {
  return new Map(
    requestsIn({ inputRequests }).flatMap(([key, request]) => {
      const question = toQuestion(request);
      return question === undefined ? [] : [[key, question] as const];
    }),
  );
}

/** Undefined for what no client answers. */
export function toQuestion(request: JsonValue | undefined): ServerRequest | undefined {
  const { method, params } = isJsonObject(request) ? request : {};
  const known = serverRequestMethods.find((each) => each === method);
  return known && { method: known, params: isJsonObject(params) ? params : {} };
}

export function toInputRequests(questions: Questions): JsonObject {
  return Object.fromEntries([...questions].map(([name, question]) => [name, toInputRequest(question)]));
}

/** 2026-07-28 has no ids of elicitations: the state replaces them. */
function toInputRequest({ method, params }: ServerRequest): JsonObject {
  const { elicitationId: _, _meta, ...rest } = params;
  return { method, params: rest };
}
