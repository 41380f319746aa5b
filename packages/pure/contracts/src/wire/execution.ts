// Requests that reach an upstream: tool calls, resource reads, prompts, completions.
import * as v from 'valibot';
import { questionKinds } from '../config/client-capabilities.js';
import { jsonObjectSchema } from '../json.js';
import { suggestion } from '../nearest.js';
import { requestContextSchema } from './envelope.js';

const nullableString = v.optional(v.nullable(v.pipe(v.string(), v.maxLength(1024))));

/** As `Idempotency-Key` and in the body. An empty one counts as absent. */
export const idempotencyKeySchema = v.pipe(
  v.string(),
  v.check((key) => key.length <= 1024, 'an idempotency key has 1 to 1024 characters'),
  v.check((key) => !/[\uD800-\uDFFF\0]/u.test(key), 'an idempotency key is valid Unicode text without null characters'),
);

/** Kinds of questions that the caller answers; see `accept_input`. */
const acceptInputSchema = v.pipe(
  v.array(
    v.picklist(questionKinds, ({ input }) =>
      typeof input === 'string'
        ? `unknown kind of question; ${suggestion(input, questionKinds)}`
        : `expected one of ${questionKinds.join(', ')}`,
    ),
  ),
  v.maxLength(16, 'at most 16 kinds (a fixed limit)'),
  v.description(
    'Questions that the caller answers besides those of elicitation and sampling, which it is always asked: with `roots`, `roots/list` is asked of it too, and not answered from the configuration',
  ),
);

const requestEntries = {
  request_id: nullableString,
  context: v.optional(v.nullable(requestContextSchema)),
  idempotency_key: v.optional(v.nullable(idempotencyKeySchema)),
  input_responses: v.optional(
    v.nullable(
      v.pipe(
        jsonObjectSchema,
        v.description('Bare results by the keys of `inputRequests` of the interim answer that this request repeats'),
      ),
    ),
  ),
  request_state: v.optional(
    v.nullable(v.pipe(v.string(), v.description('`requestState` of the interim answer, as it was given'))),
  ),
  accept_input: v.optional(v.nullable(acceptInputSchema)),
};

const id = v.pipe(v.string(), v.minLength(1));

/** Body of `POST /v1/tools/call`. */
export const callCapabilityRequestSchema = v.object({ capability_id: id, args: jsonObjectSchema, ...requestEntries });

/** One call of a batch, with references to the results of earlier ones. */
export const batchStepSchema = v.object({
  id: v.pipe(id, v.maxLength(64)),
  capability_id: id,
  args: jsonObjectSchema,
  continue_on_error: v.optional(v.nullable(v.boolean())),
});
export type BatchStep = v.InferOutput<typeof batchStepSchema>;

/** Steps of one batch. */
const maxBatchSteps = 50;

/** Body of `POST /v1/tools/batch_call`. */
export const batchCallRequestSchema = v.object({
  steps: v.pipe(
    v.array(batchStepSchema),
    v.maxLength(maxBatchSteps, `a batch has at most ${maxBatchSteps} steps (a fixed limit)`),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const seen = new Set<string>();
      for (const [index, { id: stepId }] of dataset.value.entries()) {
        if (seen.has(stepId))
          addIssue({ message: `step ${index} repeats the id "${stepId}"; ids are unique in a batch` });
        seen.add(stepId);
      }
    }),
  ),
  request_id: nullableString,
  context: v.optional(v.nullable(requestContextSchema)),
  idempotency_key: v.optional(v.nullable(idempotencyKeySchema)),
});

/** Answer of `POST /v1/tools/batch_call`. */
export const batchCallResponseSchema = v.object({
  ok: v.pipe(v.boolean(), v.description('Every step ran and succeeded')),
  request_id: v.optional(v.nullable(v.string())),
  trace_id: v.string(),
  results: v.array(
    v.object({
      id: v.string(),
      capability_id: v.string(),
      ok: v.boolean(),
      duration_us: v.number(),
      data: v.optional(v.unknown()),
      error: v.optional(v.nullable(v.pipe(v.string(), v.description('<CODE>: <message>')))),
      deduplicated: v.optional(
        v.pipe(v.literal(true), v.description('The step was not run: its key had this result already')),
      ),
    }),
  ),
  total_duration_us: v.number(),
});
export type BatchCallResponse = v.InferOutput<typeof batchCallResponseSchema>;
export type BatchStepResult = BatchCallResponse['results'][number];

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

/** Values that complete an argument, at most 100 (MCP `completion/complete`). */
export const completionDataSchema = v.object({
  values: v.array(v.string()),
  total: v.optional(v.number()),
  has_more: v.optional(v.boolean()),
});

/** Answer of `POST /v1/completion/complete`. */
export const completionResponseSchema = v.object({
  ok: v.literal(true),
  trace_id: v.string(),
  data: completionDataSchema,
});
export type CompletionData = v.InferOutput<typeof completionDataSchema>;
