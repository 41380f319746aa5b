// Converts the answer of an OpenAI-compatible endpoint to an MCP `CreateMessageResult`.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/** Undefined if the body is no answer. @param model as it was asked for, where the answer names none */
export function toMessageResult(body: unknown, model: string): JsonObject | undefined {
  if (!isJsonObject(body)) return undefined;
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
  const message = isJsonObject(choice) ? choice.message : undefined;
  const text = isJsonObject(message) ? textIn(message.content) : undefined;
  if (!isJsonObject(choice) || text === undefined) return undefined;
  const stopReason = stopReasonOf(choice.finish_reason);
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: typeof body.model === 'string' ? body.model : model,
    ...(stopReason === undefined ? {} : { stopReason }),
  };
}

/** Some endpoints give the text in parts. */
function textIn(content: JsonValue | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''));
  return texts.join('');
}

const stopReasons: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['stop', 'endTurn'],
  ['length', 'maxTokens'],
]);

/** MCP takes any other word as it is. */
function stopReasonOf(reason: JsonValue | undefined): string | undefined {
  return stopReasons.get(reason) ?? (typeof reason === 'string' ? reason : undefined);
}
