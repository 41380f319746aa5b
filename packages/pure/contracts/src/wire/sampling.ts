// Sampling tickets as people see them, what opens one over HTTP, and the answers they post.
import * as v from 'valibot';
import { isJsonObject, jsonObjectSchema } from '../json.js';

const epochSecs = v.pipe(v.number(), v.integer(), v.description('Unix seconds'));
const text = v.pipe(v.string(), v.minLength(1));
const role = v.picklist(['user', 'assistant']);

/** States of a sampling request; `pending` is the only one that can change. */
export const samplingStatuses = ['pending', 'completed', 'expired'] as const;
export type SamplingStatusName = (typeof samplingStatuses)[number];

/** Where a request for a model's answer came from. */
export const samplingOrigins = ['http', 'upstream'] as const;
export type SamplingOrigin = (typeof samplingOrigins)[number];

/** Body of `POST /v1/sampling/create_message`. */
export const createMessageRequestSchema = v.object({
  server_id: text,
  messages: v.pipe(
    v.array(jsonObjectSchema),
    v.minLength(1, 'needs at least one message'),
    v.description('MCP `SamplingMessage` objects: `{role, content}`'),
  ),
  max_tokens: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1)))),
});

/** The answer as MCP has it (`CreateMessageResult`): what goes to the upstream. */
export const samplingResultSchema = v.pipe(
  jsonObjectSchema,
  v.description('MCP `CreateMessageResult`: role, content, model, stopReason'),
);

/** A request for a model's answer that waits; times in seconds since the Unix epoch. */
export const samplingTicketSchema = v.object({
  id: v.pipe(v.string(), v.description('samp-<Unix seconds>-<counter>')),
  server_id: v.string(),
  messages: v.array(jsonObjectSchema),
  max_tokens: v.nullable(v.number()),
  params: v.optional(
    v.pipe(
      jsonObjectSchema,
      v.description('Other fields of the upstream request: systemPrompt, temperature, tools, …'),
    ),
  ),
  status: v.picklist(samplingStatuses),
  created_at: epochSecs,
  expires_at: epochSecs,
  origin: v.pipe(
    v.picklist(samplingOrigins),
    v.description('`upstream`: a server asked, and gets the answer; `http`: opened by create_message'),
  ),
  result: v.optional(samplingResultSchema),
});
/** As people see a ticket. */
export type ShownSamplingTicket = v.InferOutput<typeof samplingTicketSchema>;

/** Answer of `POST /v1/sampling/create_message`. */
export const createdMessageSchema = v.object({
  ok: v.literal(true),
  trace_id: v.string(),
  data: samplingResultSchema,
});

/** Answer 202 of `POST /v1/sampling/create_message`: the ticket that waits for a person. */
export const acceptedMessageSchema = v.object({
  ok: v.literal(true),
  trace_id: v.string(),
  data: v.object({ ticket_id: v.string(), status: v.picklist(samplingStatuses) }),
});

/** Answer of `GET /v1/sampling/requests`. */
export const samplingListSchema = v.object({
  ok: v.literal(true),
  requests: v.array(samplingTicketSchema),
  total: v.pipe(v.number(), v.integer(), v.description('All tickets that match, on every page')),
});

/** Answer of `GET /v1/sampling/requests/{id}`, `POST /v1/sampling/requests/{id}/respond`. */
export const samplingAnswerSchema = v.object({ ok: v.literal(true), request: samplingTicketSchema });

const content = v.union(
  [v.string(), jsonObjectSchema, v.array(jsonObjectSchema)],
  'expected a text, an MCP content block, or an array of them',
);

/** One answer to a ticket. `stop_reason` may be spelt as in MCP, `stopReason`. */
export const messageSchema = v.object({
  role,
  content,
  model: v.optional(v.nullable(v.pipe(text, v.maxLength(1024)))),
  stop_reason: v.optional(v.nullable(v.pipe(text, v.maxLength(1024)))),
  stopReason: v.optional(v.nullable(v.pipe(text, v.maxLength(1024)))),
});
export type Message = v.InferOutput<typeof messageSchema>;

const wrappedSchema = v.object({ result: messageSchema });

/** Body of `POST /v1/sampling/requests/{id}/respond`, for the document. */
export const respondRequestSchema = v.union([messageSchema, wrappedSchema]);

/** The same for a parsed body, so that a problem is reported with its path. */
export const respondBodySchema = v.lazy((body) =>
  isJsonObject(body) && body.result !== undefined ? wrappedSchema : messageSchema,
);

/** Ticket ids are no secret and hold no character that a URL would change. */
export function samplingPath(id: string): string {
  return `/v1/sampling/requests/${id}`;
}
