// The compact catalog as clients see it: list entries, list answers and the detail of one capability.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';

const optionalText = v.optional(v.nullable(v.string()));

/** A tool in a list: five fields, no schemas. */
export const capabilityListItemSchema = v.strictObject({
  id: v.string(),
  summary: v.string(),
  server: v.string(),
  tool: v.string(),
  tags: v.array(v.string()),
});
export type CapabilityListItem = v.InferOutput<typeof capabilityListItemSchema>;

/** A resource in a list, without its content. */
export const resourceListItemSchema = v.strictObject({
  id: v.string(),
  server: v.string(),
  uri: v.pipe(v.string(), v.description('A URI, or an RFC 6570 template of URIs')),
  name: v.string(),
  tags: v.array(v.string()),
  description: optionalText,
  mime_type: optionalText,
});
export type ResourceListItem = v.InferOutput<typeof resourceListItemSchema>;

/** A prompt in a list, without its messages. */
export const promptListItemSchema = v.strictObject({
  id: v.string(),
  server: v.string(),
  name: v.string(),
  arguments: v.array(jsonObjectSchema),
  tags: v.array(v.string()),
  title: optionalText,
  description: optionalText,
});
export type PromptListItem = v.InferOutput<typeof promptListItemSchema>;

const listHead = {
  version: v.literal('v1'),
  catalog_version: v.string(),
  ttl_ms: v.pipe(v.number(), v.description('How long the list may be cached, in milliseconds')),
  cache_scope: v.picklist(['public', 'private']),
};

/** Answer of `GET /v1/capabilities`. */
export const capabilitiesListSchema = v.object({ ...listHead, capabilities: v.array(capabilityListItemSchema) });
/** Answer of `GET /v1/resources`. */
export const resourcesListSchema = v.object({ ...listHead, resources: v.array(resourceListItemSchema) });
/** Answer of `GET /v1/prompts`. */
export const promptsListSchema = v.object({ ...listHead, prompts: v.array(promptListItemSchema) });

/** A tool with its JSON Schemas, as `GET /v1/capabilities/{id}` describes it. */
export const capabilityDetailSchema = v.object({
  id: v.string(),
  server: v.string(),
  tool: v.string(),
  description: v.string(),
  input_schema: jsonObjectSchema,
  examples: v.array(v.unknown()),
  title: v.optional(v.string()),
  output_schema: v.optional(jsonObjectSchema),
  annotations: v.optional(jsonObjectSchema),
  tags: v.optional(v.array(v.string())),
});

/** Answer of `GET /v1/capabilities/{id}`. */
export const capabilityDescribeSchema = v.object({
  version: v.literal('v1'),
  catalog_version: v.optional(v.string()),
  capability: capabilityDetailSchema,
});

/** Whether a tool only reads, by its annotation `readOnlyHint`. */
export const capabilityModes = ['read', 'write'] as const;
export type CapabilityMode = (typeof capabilityModes)[number];

const idList = v.optional(v.nullable(v.array(v.string())));

/** Body of `POST /v1/capabilities/search`. */
export const searchRequestSchema = v.object({
  query: v.optional(v.nullable(v.string())),
  limit: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)))),
  server_ids: idList,
  tags: idList,
  modes: v.optional(v.nullable(v.array(v.picklist(capabilityModes)))),
});

const foundSchema = v.object({
  id: v.string(),
  summary: v.string(),
  server: v.string(),
  tags: v.array(v.string()),
  mode: v.picklist(capabilityModes),
  score: v.number(),
  match_types: v.array(v.picklist(['lexical', 'semantic', 'tag'])),
});

/** Answer of `POST /v1/capabilities/search`. */
export const searchResponseSchema = v.object({
  version: v.literal('v1'),
  catalog_version: v.string(),
  capabilities: v.array(foundSchema),
});

/** Answer of the MCP tool `capability_search`. */
export const searchAnswerSchema = v.object({
  version: v.literal('v1'),
  catalog_version: v.string(),
  capabilities: v.array(
    v.object({
      ...foundSchema.entries,
      // The words of the query that it has, or `near: ` and what of it is nearest in meaning; absent without a query.
      why: v.exactOptional(v.string()),
    }),
  ),
  // There where the best hit most likely is what was asked for.
  confident: v.exactOptional(v.literal(true)),
  // Present while search by meaning is being prepared: the answer uses words only.
  meaning_pending: v.exactOptional(v.literal(true)),
  // There where nothing fits the query well: what to look at instead.
  no_good_match: v.exactOptional(
    v.object({ hint: v.string(), servers: v.array(v.string()), tags: v.array(v.string()) }),
  ),
});

/** Answer of `capability_search`: that of the HTTP route, with what an agent needs to judge it. */
export type SearchAnswer = v.InferOutput<typeof searchAnswerSchema>;
/** Answer of `POST /v1/capabilities/search`. */
export type SearchResponse = v.InferOutput<typeof searchResponseSchema>;
export type CapabilityDetail = v.InferOutput<typeof capabilityDetailSchema>;
export type CapabilityDescribeResponse = v.InferOutput<typeof capabilityDescribeSchema>;

/** How long clients may cache a list, in milliseconds. */
export const catalogTtlMs = 300_000;
/** Hits of a search that names no `limit`. */
export const defaultSearchLimit = 8;
