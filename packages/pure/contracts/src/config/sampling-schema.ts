// The sampling block as it is written in the configuration file.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

const text = v.pipe(v.string(), v.minLength(1));

export const ticketRules = ['auto', 'always'] as const;

export const samplingProviderSchema = notAList(
  v.looseObject({
    url: v.pipe(
      v.string(),
      v.regex(/^https?:\/\/[^/\s]/i, 'must be an http: or https: address'),
      v.description('Base address of an OpenAI-compatible API; `/chat/completions` is added where it is not there'),
    ),
    model: v.pipe(text, v.description('The model that answers')),
    apiKeyEnv: v.optional(
      v.nullable(v.pipe(text, v.description('Environment variable with the key, sent as a bearer token'))),
    ),
    maxTokens: v.optional(
      v.nullable(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(10_000_000),
          v.description('Most tokens of an answer, also where a server asks for more'),
        ),
      ),
    ),
  }),
);

export const samplingSchema = notAList(
  v.looseObject({
    provider: v.optional(v.pipe(v.nullable(samplingProviderSchema), v.description('A model that answers by itself'))),
    tickets: v.optional(
      v.nullable(
        v.pipe(
          v.picklist(ticketRules),
          v.description(
            'Calls of MCP clients that cannot sample: what they are asked is refused (auto, the default), or waits as a ticket for people (always)',
          ),
        ),
      ),
    ),
  }),
);
export type RawSampling = v.InferOutput<typeof samplingSchema>;
