// A sampling ticket as people see it, and their answers as MCP has them.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type ShownSamplingTicket,
} from '@portico/contracts';
import type { SamplingTicket } from './ticket.js';

export function toShownTicket({ id, serverId, params, status, origin, ...times }: SamplingTicket): ShownSamplingTicket {
  const { messages, maxTokens, ...rest } = params;
  return {
    id,
    server_id: serverId,
    messages: Array.isArray(messages) ? messages.filter(isJsonObject) : [],
    max_tokens: typeof maxTokens === 'number' ? maxTokens : null,
    ...(origin === 'upstream' ? { params: rest } : {}),
    status: status.status,
    created_at: Math.floor(times.createdAtMs / 1000),
    expires_at: Math.floor(times.expiresAtMs / 1000),
    origin,
    ...(status.status === 'completed' ? { result: status.result } : {}),
  };
}

/** MCP requires a model name; a person may answer without one. */
const unnamedModel = 'human';

/** MCP `CreateMessageResult`. */
export function toMessageResult({ role, content, model, stop_reason, stopReason }: Message): JsonObject {
  const reason = stop_reason ?? stopReason;
  return {
    role,
    content: toContent(content),
    model: model ?? unnamedModel,
    ...(reason == null ? {} : { stopReason: reason }),
  };
}

function toContent(content: Message['content']): JsonValue {
  return typeof content === 'string' ? { type: 'text', text: content } : content;
}
