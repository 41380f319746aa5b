// The JSON Schema of the configuration file, made from the schema that validates it, for editors and readers.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { JsonObject } from '../json.js';
import { configFileSchema } from './file-schema.js';

/** JSON Schema (draft-07) of `mcp_servers.json`. Checks that span fields, such as cross-references, are not in it. */
export function configJsonSchema(): JsonObject {
  const schema = toJsonSchema(configFileSchema, { typeMode: 'input', errorMode: 'ignore' });
  return {
    ...(schema as unknown as JsonObject), // a JSON Schema is a JSON object; its type only lacks the index signature
    title: 'Portico configuration (mcp_servers.json)',
  };
}
