// The JSON-RPC messages that the relay has to know: its own, and what it recognises in passing.
import { isJsonObject, type JsonObject, type JsonValue, parseExact, parseJson } from '@portico/contracts';
import { tooLongMessage } from '@portico/mcp-facade';

export type RpcId = string | number;

/** Undefined for a line that is no JSON object. */
export function parseMessage(line: string): JsonObject | undefined {
  return objectOf(line, parseJson);
}

/** As `parseMessage`, with numbers that a double cannot hold: for a message that is written again. It takes longer. */
export function parseExactMessage(line: string): JsonObject | undefined {
  return objectOf(line, parseExact);
}

function objectOf(line: string, parse: (text: string) => unknown): JsonObject | undefined {
  try {
    const value = parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How a service ends the line of a result: a number under `id` is the last member of it. */
const resultEnd = /,"jsonrpc":"2\.0","id":(\d{1,15})\}$/;

/**
 * The id of a result, read off the end of its line: the line is one object, so the member that ends with it is its own.
 * Undefined for every other message, and for a result that is written in another way.
 */
export function answeredId(line: string): RpcId | undefined {
  if (!line.startsWith('{"result":')) return undefined;
  const id = resultEnd.exec(line.slice(-40))?.[1];
  return id === undefined ? undefined : Number(id);
}

export function isJson(line: string): boolean {
  try {
    parseJson(line);
    return true;
  } catch {
    return false;
  }
}

/** The answer to a line that is no JSON, given here: the id of such a request is unknown. */
export const unreadable: JsonObject = Object.freeze({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32700, message: 'Parse error: a line that is not JSON' },
});

/** The answer to a line that is left out. */
export const tooLong: JsonObject = Object.freeze({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: tooLongMessage },
});

/** A `notifications/cancelled` of another id. */
export function cancelling(message: JsonObject, requestId: RpcId | undefined): JsonObject {
  return { ...message, params: { ...paramsOf(message), ...(requestId === undefined ? {} : { requestId }) } };
}

/** The request that a `notifications/cancelled` names; undefined for every other message. */
export function cancelledId(message: JsonObject): RpcId | undefined {
  if (methodOf(message) !== 'notifications/cancelled') return undefined;
  return idOf({ id: paramsOf(message).requestId });
}

export function idOf({ id }: JsonObject): RpcId | undefined {
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

export function methodOf({ method }: JsonObject): string | undefined {
  return typeof method === 'string' ? method : undefined;
}

export function paramsOf({ params }: JsonObject): JsonObject {
  return isJsonObject(params) ? params : {};
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** The subscription of 2026-07-28 that a notification belongs to. */
export function subscriptionOf(message: JsonObject): RpcId | undefined {
  const { _meta } = paramsOf(message);
  return isJsonObject(_meta) ? idOf({ id: _meta[subscriptionKey] }) : undefined;
}

export function notification(method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}

const lists = ['tools', 'resources', 'prompts'] as const;

/** To a client of a session. */
export function listsChanged(): readonly JsonObject[] {
  return lists.map((list) => notification(`notifications/${list}/list_changed`));
}

/** To a client of 2026-07-28, by a subscription, of what that asked for. */
export function listsChangedFor(listen: JsonObject): readonly JsonObject[] {
  const { notifications } = paramsOf(listen);
  const wanted = isJsonObject(notifications) ? notifications : {};
  return lists
    .filter((list) => wanted[`${list}ListChanged`] === true)
    .map((list) => notification(`notifications/${list}/list_changed`, { _meta: { [subscriptionKey]: listen.id } }));
}

const internalError = -32603;

/** To a request that no service has been sent: of lines that are left when the relay ends. */
export function unsentRequests(lines: readonly string[]): readonly JsonObject[] {
  const messages = lines.map(parseMessage).filter((message) => message !== undefined);
  const cancelled = new Set(messages.map(cancelledId));
  const message = 'no Portico service took this request before its client had gone; nothing was executed';
  return messages.flatMap((request) => {
    const id = idOf(request);
    if (id === undefined || methodOf(request) === undefined || cancelled.has(id)) return [];
    return [{ jsonrpc: '2.0', id, error: { code: internalError, message } }];
  });
}

export function lostRequest(id: RpcId): JsonObject {
  const message = 'the Portico service ended while it worked on this request; its outcome is unknown';
  return { jsonrpc: '2.0', id, error: { code: internalError, message } };
}
