// The JSON Schema of a wire shape, made from the schema that validates it.
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { type JsonObject, jsonObjectSchema } from '../json.js';

/** JSON Schema 2020-12, without `$schema`. @param typeMode what goes in or what comes out of the checks */
export function wireJsonSchema(schema: v.GenericSchema, typeMode: 'input' | 'output'): JsonObject {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema }) => (valibotSchema === jsonObjectSchema ? { type: 'object' } : undefined),
  });
  return converted as unknown as JsonObject; // a JSON Schema is a JSON object; its type only lacks the index signature
}
