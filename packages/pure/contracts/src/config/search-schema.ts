// The search block as it is written in the configuration file.
import * as v from 'valibot';
import { isJsonObject } from '../json.js';
import { notAList } from '../not-a-list.js';

const text = v.pipe(v.string(), v.minLength(1));

const openaiSchema = v.looseObject({
  provider: v.pipe(v.literal('openai'), v.description('An OpenAI-compatible API')),
  url: v.pipe(
    v.string(),
    v.regex(/^https?:\/\/[^/\s]/i, 'must be an http: or https: address'),
    v.description('Base address of the API; `/embeddings` is added where it is not there'),
  ),
  model: v.pipe(text, v.description('The model that gives the vectors')),
  apiKeyEnv: v.optional(
    v.nullable(v.pipe(text, v.description('Environment variable with the key, sent as a bearer token'))),
  ),
  dimensions: v.optional(
    v.nullable(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(16_384),
        v.description('Length of the vectors, for models that can shorten them; asked for and checked'),
      ),
    ),
  ),
});

const transformersSchema = v.looseObject({
  provider: v.pipe(v.literal('transformers'), v.description('A model on this machine, by @huggingface/transformers')),
  model: v.pipe(text, v.description('A folder with the model, or its id on the Hugging Face Hub')),
});

export const embeddingsSchema = v.variant('provider', [openaiSchema, transformersSchema]);

/** The fields that go with its provider; those of every provider where it names none. */
export function embeddingsFields(embeddings: unknown): readonly string[] {
  const provider = isJsonObject(embeddings) ? embeddings.provider : undefined;
  const options = embeddingsSchema.options.filter(({ entries }) => entries.provider.pipe[0].literal === provider);
  return (options.length > 0 ? options : embeddingsSchema.options).flatMap(({ entries }) => Object.keys(entries));
}

export const searchSchema = notAList(
  v.looseObject({
    semantic: v.optional(
      v.nullable(
        v.pipe(
          v.picklist(['builtin', 'off']),
          v.description(
            'Second criterion of search besides words: `builtin` compares the meaning by the built-in model for English, `off` nothing',
          ),
        ),
      ),
    ),
    embeddings: v.optional(
      v.nullable(v.pipe(notAList(embeddingsSchema), v.description('A model that is used instead of the built-in one'))),
    ),
  }),
);
export type RawSearch = v.InferOutput<typeof searchSchema>;
