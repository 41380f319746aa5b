// From an operation of the route table to an exchange: paths, methods, queries and headers.
import { type Route, routes } from '@portico/contracts';
import { readDocument, type Send } from './send.js';
import type { Answers, Bodies, OperationId, Queries } from './shapes.js';

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions extends ReadOptions {
  /** Runs a call once, however often it is sent: 1 to 1024 characters. */
  readonly idempotencyKey?: string | undefined;
  /** Whole seconds that an answer may wait for a person's decision. */
  readonly waitSecs?: number | undefined;
  /** Asks for a task in place of the result. */
  readonly respondAsync?: boolean | undefined;
  /** Ids that tie the answer to this request, where the body names none. */
  readonly requestId?: string | undefined;
}

interface Request {
  readonly params?: readonly string[];
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Makes functions out of operations, a kind for each form of request. */
export function createRequests(send: Send) {
  async function exchange(operation: string, { params = [], query = {}, ...rest }: Request = {}): Promise<Response> {
    const { method, path } = routeOf(operation);
    return send({ ...rest, method: method.toUpperCase(), path: toPath(path, params, query) });
  }

  async function ask<Id extends OperationId>(operation: Id, request: Request = {}): Promise<Answers[Id]> {
    return (await readDocument(await exchange(operation, request), request.signal)) as Answers[Id]; // made from this type's own schema
  }

  const simple =
    <Id extends OperationId>(operation: Id) =>
    (at: ReadOptions = {}) =>
      ask(operation, at);
  const byId =
    <Id extends OperationId>(operation: Id) =>
    (id: string, at: ReadOptions = {}) =>
      ask(operation, { ...at, params: [id] });
  const find =
    <Id extends OperationId & Exclude<keyof Queries, 'previewClient'>>(operation: Id) =>
    (query: Queries[Id] = {}, at: ReadOptions = {}) =>
      ask(operation, { ...at, query });
  const findOf =
    <Id extends OperationId & keyof Queries>(operation: Id) =>
    (id: string, query: Queries[Id], at: ReadOptions = {}) =>
      ask(operation, { ...at, params: [id], query });
  const post =
    <Id extends OperationId & keyof Bodies>(operation: Id) =>
    (body: Bodies[Id], at: CallOptions = {}) =>
      ask(operation, { body, signal: at.signal, headers: toHeaders(at) });
  const postTo =
    <Id extends OperationId & keyof Bodies>(operation: Id) =>
    (id: string, body: Bodies[Id], at: ReadOptions = {}) =>
      ask(operation, { ...at, params: [id], body });

  return { exchange, simple, byId, find, findOf, post, postTo };
}

function routeOf(operation: string): Route {
  const route = routes.find(({ operationId }) => operationId === operation);
  if (route === undefined) throw new Error(`no operation ${operation} in the route table`);
  return route;
}

/** Ids of the catalog hold slashes and more: each is one encoded segment. */
function toPath(path: string, params: readonly string[], query: object): string {
  const left = [...params];
  const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function toHeaders({ idempotencyKey, waitSecs, respondAsync, requestId }: CallOptions): Record<string, string> {
  const preferences = [
    ...(waitSecs === undefined ? [] : [`wait=${waitSecs}`]),
    ...(respondAsync === true ? ['respond-async'] : []),
  ];
  return {
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(requestId === undefined ? {} : { 'X-Request-ID': requestId }),
    ...(preferences.length === 0 ? {} : { Prefer: preferences.join(', ') }),
  };
}
