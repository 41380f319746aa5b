// Converts an MCP sampling request to the body of an OpenAI-compatible `/chat/completions` request.
import { isJsonObject, type JsonObject, type JsonValue, type SamplingProvider } from '@portico/contracts';

/** The provider cannot be asked this. Its message holds nothing of what was asked. */
export class UnaskableError extends Error {}

/** @param params MCP params of `sampling/createMessage` @throws UnaskableError */
export function toChatRequest({ model, maxTokens }: SamplingProvider, params: JsonObject): JsonObject {
  const { messages, systemPrompt, temperature, stopSequences, tools } = params;
  if (Array.isArray(tools) && tools.length > 0) throw new UnaskableError('it asks for the use of tools');
  if (!Array.isArray(messages)) throw new UnaskableError('it has no messages');
  const limit = tokenLimit(maxTokens, params.maxTokens);
  return {
    model,
    messages: [...systemMessage(systemPrompt), ...messages.map(toChatMessage)],
    ...(limit === null ? {} : { max_tokens: limit }),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(Array.isArray(stopSequences) && stopSequences.length > 0 ? { stop: stopSequences } : {}),
  };
}

function tokenLimit(most: number | null, asked: JsonValue | undefined): number | null {
  if (typeof asked !== 'number') return most;
  return most === null ? asked : Math.min(most, asked);
}

function systemMessage(prompt: JsonValue | undefined): readonly JsonObject[] {
  return typeof prompt === 'string' && prompt !== '' ? [{ role: 'system', content: prompt }] : [];
}

function toChatMessage(message: JsonValue): JsonObject {
  const { role, content } = isJsonObject(message) ? message : {};
  if (role !== 'user' && role !== 'assistant') throw new UnaskableError('a message has no role that MCP knows');
  if (typeof content === 'string') return { role, content };
  const blocks = Array.isArray(content) ? content : [content];
  const [only] = blocks;
  if (blocks.length === 1 && isJsonObject(only) && only.type === 'text') return { role, content: textOf(only) };
  return { role, content: blocks.map(toPart) };
}

function toPart(block: JsonValue | undefined): JsonObject {
  if (isJsonObject(block) && block.type === 'text') return { type: 'text', text: textOf(block) };
  if (isJsonObject(block) && block.type === 'image') return { type: 'image_url', image_url: { url: dataUrl(block) } };
  throw new UnaskableError('a message holds something else than text and images');
}

function textOf({ text }: JsonObject): string {
  if (typeof text === 'string') return text;
  throw new UnaskableError('a text has no text');
}

function dataUrl({ data, mimeType }: JsonObject): string {
  if (typeof data === 'string' && typeof mimeType === 'string') return `data:${mimeType};base64,${data}`;
  throw new UnaskableError('an image has no data or no mimeType');
}
