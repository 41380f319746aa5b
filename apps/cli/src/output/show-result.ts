// Results of tools, resources and prompts for people: texts as they are, everything else named or as JSON.
import { exactJson, exactJsonLines, type JsonObject, type JsonValue } from '@portico/contracts';
import { isObject } from '../is-object.js';
import type { Output } from './output.js';

/** The `data` of an envelope. */
export function showData(output: Output, data: JsonValue, isRaw = false): void {
  const say = (text: string) => (isRaw ? output.raw(text) : output.line(text));
  for (const text of textsOf(data)) say(text);
}

/** Whether the tool says that it has failed. */
export function isToolError(data: JsonValue): boolean {
  return isObject(data) && data.isError === true;
}

export function textsOf(data: JsonValue): readonly string[] {
  if (typeof data === 'string') return [data];
  if (!isObject(data)) return [exactJsonLines(data)];
  const { content, contents, messages, structuredContent } = data;
  if (Array.isArray(messages)) return messages.filter(isObject).map(messageText);
  if (Array.isArray(contents)) return contents.filter(isObject).map(resourceText);
  if (!Array.isArray(content)) return [exactJsonLines(data)];
  if (content.length === 0 && structuredContent !== undefined) return [exactJsonLines(structuredContent)];
  return content.filter(isObject).map(blockText);
}

function messageText({ role, content }: JsonObject): string {
  const blocks = Array.isArray(content) ? content : [content];
  return `${role}: ${blocks.filter(isObject).map(blockText).join('\n')}`;
}

/** An MCP content block. */
export function blockText(block: JsonObject): string {
  const { type, text, mimeType, data, uri, name, resource } = block;
  if (typeof text === 'string') return text;
  if (type === 'resource' && isObject(resource)) return resourceText(resource);
  if (type === 'resource_link') return `[${name ?? 'resource'}: ${uri}]`;
  if (typeof data === 'string') return `[${type} ${mimeType ?? ''}, ${bytesOf(data)} bytes; --json has them]`;
  return exactJson(block);
}

function resourceText({ text, blob, uri, mimeType }: JsonObject): string {
  if (typeof text === 'string') return text;
  if (typeof blob === 'string') return `[${uri} ${mimeType ?? ''}, ${bytesOf(blob)} bytes; -o FILE writes them]`;
  return `[${uri}]`;
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
