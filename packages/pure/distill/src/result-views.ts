// The ways to look into a tool result (MCP, CallToolResult): its own fields, and the JSON inside its only text.
// Never follows a prototype: a field is an own property or is not there.
import { isJsonObject, type JsonValue, parseExact } from '@portico/contracts';

/** The own field of an object; undefined for everything else. */
export function ownField(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value of the text when `content` is exactly one text block and the text is JSON; else undefined. */
export function parsedText(data: JsonValue): JsonValue | undefined {
  const content = ownField(data, 'content');
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [block] = content;
  const text = ownField(block, 'text');
  if (ownField(block, 'type') !== 'text' || typeof text !== 'string') return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined; // most texts are just text
  }
}
