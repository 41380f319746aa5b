// JSON-RPC messages and the MCP names that both eras use. Nothing here validates: what a server says is passed on.
import {
  type Bounds,
  exactNumbers,
  excessOf,
  isJsonObject,
  type JsonObject,
  mayHoldExact,
  membersOf,
  parseExact,
  parseJson,
  upstreamBounds,
  writeExact,
} from '@portico/contracts';

export type RpcId = number | string;

/** A key that no message from a server can have. */
export const resultText = Symbol('resultText');

/** Any JSON-RPC 2.0 message: a request, a notification or a reply, distinguished by their fields. */
export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: RpcId | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  /** The JSON text of the result alone, where its start and end are certain. */
  readonly [resultText]?: string;
  readonly error?: unknown;
}

export interface RpcRequest extends RpcMessage {
  readonly id: RpcId;
  readonly method: string;
}

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

export const modernRevision = '2026-07-28';

/** Revisions that begin with `initialize`, newest first; the first is the one we offer. */
export const legacyRevisions: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** Reserved `_meta` keys of 2026-07-28 (basic, `_meta`). */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
} as const;

export const rpcErrors = {
  methodNotFound: -32601,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** The sent text: numbers in arguments are written as the caller wrote them. */
export const messageText = (message: RpcMessage): string =>
  exactNumbers in (message.params ?? message) ? writeExact(message) : JSON.stringify(message);

/** An id that is neither a number, a text nor null answers nothing; to compare one may throw. */
export const isReply = (message: RpcMessage): boolean =>
  message.method === undefined &&
  (typeof message.id === 'number' || typeof message.id === 'string' || message.id === null) &&
  ('result' in message || 'error' in message);

/** A message that is not parsed: to walk it takes more stack, or more time, than one message may. */
export class OutOfBounds extends Error {
  override readonly name = 'OutOfBounds';
}

/** The rejection of a request that the server did answer, with a reply that we refuse. */
export const refusedReply = (error: unknown) => ({
  code: rpcErrors.internalError,
  message: `the reply is ${faultOf(error)}`,
});

/** Why a text was not parsed. */
export const faultOf = (error: unknown): string => (error instanceof OutOfBounds ? error.message : 'no JSON');

const replyHead = /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*"(?:result|error)"\s*:/;
const replyStart = /^\{\s*"(?:result|error)"\s*:/;
const replyTail = /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/;
const glanceLength = 200;

/**
 * The id of the request that an unparsed text answers, if its first or its last characters determine it: text before
 * the first nested value, or behind the last one, is not nested itself.
 */
export function glimpseReplyId(text: string): RpcId | undefined {
  const head = text.slice(0, glanceLength);
  const found = replyHead.exec(head) ?? (replyStart.test(head) ? replyTail.exec(text.slice(-glanceLength)) : null);
  return found === null ? undefined : Number(found[1]);
}

/**
 * The messages of one JSON text: one, or several where a peer of 2025-03-26 sends a batch.
 * @throws OutOfBounds; SyntaxError when the text is no JSON.
 */
export function parseMessages(text: string, bounds: Bounds = upstreamBounds): readonly RpcMessage[] {
  const excess = text.length > bounds.levels ? excessOf(text, bounds) : undefined; // a shorter one has none
  if (excess !== undefined) throw new OutOfBounds(excess);
  const reply = text.startsWith(idFirst) || text.startsWith(resultFirst) ? parseReply(text) : undefined;
  if (reply !== undefined) return [reply];
  const value: unknown = parseJson(text);
  // A message is looked at field by field when it is used; here only "is an object" matters.
  if (isJsonObject(value)) return [withResultText(value as unknown as RpcMessage, text)];
  return Array.isArray(value) ? batchOf(value, text) : [];
}

/** The replies among its messages keep the texts of their numbers. */
function batchOf(values: readonly unknown[], text: string): readonly RpcMessage[] {
  const exact = mayHoldExact.test(text) ? parseExact(text) : values;
  return values.flatMap((value, at) => {
    if (!isJsonObject(value)) return [];
    const message = value as unknown as RpcMessage; // looked at field by field, as above
    const result = Array.isArray(exact) && isJsonObject(exact[at]) ? exact[at].result : undefined;
    return [
      isJsonObject(result) && exactNumbers in result ? { ...message, [resultText]: writeExact(result) } : message,
    ];
  });
}

/** A reply that is written in another way keeps the text of its result where numbers could lose theirs. */
function withResultText(message: RpcMessage, text: string): RpcMessage {
  if (!isJsonObject(message.result) || !mayHoldExact.test(text)) return message;
  const members = membersOf(text);
  const [result, second] = members.filter(({ name }) => name === 'result');
  if (result === undefined || second !== undefined || members.some(({ name }) => name === 'error')) return message;
  return { ...message, [resultText]: result.valueText };
}

/** How nearly all servers write a reply: their id before the result, or after it. */
const idFirst = '{"jsonrpc":"2.0","id":';
const thenResult = ',"result":';
const resultFirst = '{"result":';
const thenId = ',"jsonrpc":"2.0","id":';
const plainId = /^(?:0|[1-9]\d{0,14})$/;

/**
 * A reply whose result is parsed by itself, and keeps its text. That is exactly one value, or else there is more in the
 * message than a result, a second one for example: undefined then, as for all that is written in another way.
 */
function parseReply(text: string): RpcMessage | undefined {
  const isIdFirst = text.startsWith(idFirst);
  const idFrom = isIdFirst ? idFirst.length : text.lastIndexOf(thenId) + thenId.length;
  const idTo = isIdFirst ? text.indexOf(',', idFrom) : text.length - 1;
  const from = isIdFirst ? idTo + thenResult.length : resultFirst.length;
  const to = isIdFirst ? text.length - 1 : idFrom - thenId.length;
  const isWhole = isIdFirst ? text.startsWith(thenResult, idTo) : to >= from;
  const id = text.slice(idFrom, idTo);
  if (!isWhole || !plainId.test(id) || !text.endsWith('}')) return undefined;
  const result = text.slice(from, to);
  // A result that is passed on as text is an object, without the white space around it.
  if (!result.startsWith('{') || !result.endsWith('}')) return undefined;
  try {
    return { jsonrpc: '2.0', id: Number(id), result: parseJson(result), [resultText]: result };
  } catch {
    return undefined;
  }
}
