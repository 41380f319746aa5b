// The JSON Schema of the configuration file, made from the schema that validates it, for editors and readers.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { JsonObject } from '../json.js';
import { accessSchema } from './access-schema.js';
import { approvalsSchema, noticeReceiverSchema } from './approvals-schema.js';
import { auditSchema, siemSchema } from './audit-schema.js';
import { configFileSchema } from './file-schema.js';
import { limitsSchema } from './limits-schema.js';
import { argumentRuleSchema, policySchema, profilePolicySchema, shadowSchema, webhookSchema } from './policy-schema.js';
import { jwtSchema, rbacSchema, roleSchema, tokenSchema } from './rbac-schema.js';

/** Objects in which an unknown field is refused, as `refusedFieldIssues` does. */
const closed: readonly object[] = [
  ...[
    policySchema,
    argumentRuleSchema,
    webhookSchema,
    profilePolicySchema,
    shadowSchema,
    auditSchema,
    siemSchema,
    limitsSchema,
  ],
  ...[approvalsSchema, ...noticeReceiverSchema.options],
  ...[rbacSchema, roleSchema, tokenSchema, jwtSchema, accessSchema],
].map(({ entries }) => entries);

/** JSON Schema (draft-07) of `mcp_servers.json`. Checks that span fields, such as cross-references, are not in it. */
export function configJsonSchema(): JsonObject {
  const schema = toJsonSchema(configFileSchema, {
    typeMode: 'input',
    errorMode: 'ignore',
    overrideSchema({ valibotSchema, jsonSchema }) {
      const isClosed = 'entries' in valibotSchema && closed.includes(valibotSchema.entries as object);
      return isClosed ? { ...jsonSchema, additionalProperties: false } : undefined;
    },
  });
  return {
    ...(schema as unknown as JsonObject), // a JSON Schema is a JSON object; its type only lacks the index signature
    title: 'Portico configuration (mcp_servers.json)',
  };
}
