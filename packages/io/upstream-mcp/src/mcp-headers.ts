// The HTTP headers that repeat parts of a message (MCP 2026-07-28, streamable HTTP, "standard headers").
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { metaKeys, type RpcMessage } from './wire.js';

const nameParameter: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Adds none for a message without the 2026-07-28 envelope. */
export function addStandardHeaders(headers: Record<string, string>, { method, params = {} }: RpcMessage): void {
  const version = isJsonObject(params._meta) ? params._meta[metaKeys.protocolVersion] : undefined;
  if (typeof version !== 'string' || method === undefined) return;
  headers['mcp-protocol-version'] = version;
  headers['mcp-method'] = method;
  const name = nameOf(method, params);
  if (name !== undefined) headers['mcp-name'] = encodeHeaderValue(name);
}

/** The trace context of a request once more, for proxies and servers that look for it in HTTP (W3C Trace Context). */
export function traceHeaders({ _meta }: JsonObject): Record<string, string> {
  const { traceparent, tracestate } = isJsonObject(_meta) ? _meta : {};
  return {
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(typeof tracestate === 'string' ? { tracestate } : {}),
  };
}

function nameOf(method: string, params: JsonObject): string | undefined {
  const parameter = Object.hasOwn(nameParameter, method) ? nameParameter[method] : undefined;
  const name = parameter === undefined ? undefined : params[parameter];
  return typeof name === 'string' ? name : undefined;
}

/** Plain where a header can carry the text, else `=?base64?<UTF-8 in base64>?=`. */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  const looksEncoded = text.startsWith('=?base64?') && text.endsWith('?=');
  return isPlain && !looksEncoded ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
