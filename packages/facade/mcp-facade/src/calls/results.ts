// Results of upstreams on their way to a client.
import { isJSONRPCResultResponse, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import {
  exactJson,
  exactTextOf,
  gatherExact,
  isJsonObject,
  isQuestion,
  type JsonObject,
  type JsonValue,
  mayHoldExact,
  parseExact,
} from '@portico/contracts';
import type { Incoming } from './incoming.js';
import { mayNamePages, qualifyUiNames, type Written } from './ui-names.js';

/**
 * As it is, but for the names of pages. A question can only be put to a client that knows how to answer it by asking again.
 * @param server whose result it is, where it may name some
 */
export function toResult({ connection }: Incoming, data: JsonValue, server?: string): JsonObject {
  if (isQuestion(data) && connection.era === 'legacy') {
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'the server asks for input that this client cannot give');
  }
  if (!isJsonObject(data)) return {};
  return withCarriableMeta(server !== undefined && mayNamePages(data) ? qualifyUiNames(data, server) : data);
}

/** The data of an outcome, with its numbers as the server wrote them, for a result that is written from its value. */
export function exactData({ data, dataText }: Written): JsonValue {
  return dataText !== undefined && mayHoldExact.test(dataText) ? parseExact(dataText) : data;
}

/** The SDK never sends a result whose `_meta` is not as MCP has it, null for one: the client would wait without end. */
function withCarriableMeta(data: JsonObject): JsonObject {
  if (data._meta === undefined || isJSONRPCResultResponse({ jsonrpc: '2.0', id: 0, result: data })) return data;
  const { _meta, ...rest } = data;
  return rest;
}

/**
 * Until 2025-11-25 structured content is an object, and clients refuse any other result. The SDK lists such tools to
 * them with a schema of `{result: …}`, so they get that shape.
 */
export function toToolResult(incoming: Incoming, data: JsonValue, { outputSchema }: JsonObject): JsonObject {
  const result = toResult(incoming, data);
  const { structuredContent, content } = result;
  if (incoming.connection.era === 'modern' || structuredContent === undefined) return result;
  const isWrapped = isJsonObject(outputSchema) && outputSchema.type !== 'object';
  if (isJsonObject(structuredContent) && !isWrapped) return result;
  const blocks = Array.isArray(content) ? content : [];
  const hasText = blocks.some((block) => isJsonObject(block) && block.type === 'text');
  const exact =
    typeof structuredContent === 'number' ? exactTextOf(result, 'structuredContent', structuredContent) : undefined;
  const text = hasText ? [] : [{ type: 'text', text: exact ?? exactJson(structuredContent) }];
  const wrapped = gatherExact({ result: structuredContent }, exact === undefined ? [] : [['result', exact]]);
  return { ...result, content: [...blocks, ...text], structuredContent: wrapped };
}
