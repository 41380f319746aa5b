// Requests that reach an upstream: tool calls, resource reads, prompts, completions.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';
import { requestContextSchema } from './envelope.js';

const nullableString = v.optional(v.nullable(v.pipe(v.string(), v.maxLength(1024))));

const notAvailable = (what: string) =>
  v.optional(v.pipe(v.null(`${what} are not available in this version of Portico; leave the field out`)));

const requestEntries = {
  request_id: nullableString,
  context: v.optional(v.nullable(requestContextSchema)),
  idempotency_key: notAvailable('idempotency keys'),
  input_responses: notAvailable('interactive calls'),
  request_state: notAvailable('interactive calls'),
};

const id = v.pipe(v.string(), v.minLength(1));

/** Body of `POST /v1/tools/call`. */
export const callCapabilityRequestSchema = v.object({ capability_id: id, args: jsonObjectSchema, ...requestEntries });

/** Body of `POST /v1/resources/read`. */
export const readResourceRequestSchema = v.object({ resource_id: id, ...requestEntries });

/** Body of `POST /v1/prompts/get`. */
export const getPromptRequestSchema = v.object({
  prompt_id: id,
  arguments: v.optional(v.nullable(jsonObjectSchema)),
  ...requestEntries,
});

/** Body of `POST /v1/completion/complete`. */
export const completionRequestSchema = v.object({
  ref_type: v.picklist(['prompt', 'resource']),
  ref_name: id,
  argument_name: v.string(),
  argument_value: v.optional(v.nullable(v.string())),
});
export type CompletionRequest = v.InferOutput<typeof completionRequestSchema>;

export const completionDataSchema = v.object({
  values: v.array(v.string()),
  total: v.optional(v.number()),
  has_more: v.optional(v.boolean()),
});

export const completionResponseSchema = v.object({
  ok: v.literal(true),
  trace_id: v.string(),
  data: completionDataSchema,
});
export type CompletionData = v.InferOutput<typeof completionDataSchema>;
