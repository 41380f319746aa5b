// Unknown fields of a configuration file: kept, without effect, and pointed out, since they may be misspelt.
import { joinPath } from '../issues.js';
import { isJsonObject, type JsonObject } from '../json.js';
import { accessSchema } from './access-schema.js';
import { auditSchema, siemSchema } from './audit-schema.js';
import { configFileSchema } from './file-schema.js';
import { limitsSchema } from './limits-schema.js';
import { mcpHttpServerSchema } from './mcp-schema.js';
import { policySchema, profilePolicySchema, webhookFields } from './policy-schema.js';
import { unknownRbacFields } from './resolve-rbac.js';
import { samplingProviderSchema, samplingSchema } from './sampling-schema.js';
import { embeddingsFields, searchSchema } from './search-schema.js';
import { resilienceSchema, serverFields } from './server-schema.js';
import { storageSchema } from './storage-schema.js';
import { supervisorSchema } from './supervisor-schema.js';

/** Paths of fields that the schema does not know, so that a misspelt one can be pointed out. */
export function unknownConfigFields(file: unknown): readonly string[] {
  if (!isJsonObject(file)) return [];
  const known = (keys: readonly string[], value: unknown, prefix: readonly string[]): string[] =>
    isJsonObject(value)
      ? Object.keys(value)
          .filter((key) => !keys.includes(key))
          .map((key) => joinPath([...prefix, key]))
      : [];
  const fileKeys = [...Object.keys(configFileSchema.entries), '$schema'];
  const resilienceKeys = Object.keys(resilienceSchema.entries);
  const each = (field: string, keys: readonly string[]) =>
    entriesOf(file[field]).flatMap(([id, value]) => known(keys, value, [field, id]));
  return [
    ...known(fileKeys, file, []),
    ...known(resilienceKeys, file.resilience, ['resilience']),
    ...each('mcpServers', serverFields),
    ...entriesOf(file.mcpServers).flatMap(([id, server]) =>
      isJsonObject(server) ? known(resilienceKeys, server.resilience, ['mcpServers', id, 'resilience']) : [],
    ),
    ...known(Object.keys(policySchema.entries), file.policy, ['policy']),
    ...known(webhookFields, isJsonObject(file.policy) ? file.policy.webhook : undefined, ['policy', 'webhook']),
    ...known(Object.keys(accessSchema.entries), file.access, ['access']),
    ...known(['ttlSecs'], file.idempotency, ['idempotency']),
    ...known(Object.keys(auditSchema.entries), file.audit, ['audit']),
    ...known(Object.keys(mcpHttpServerSchema.entries), file.mcpHttpServer, ['mcpHttpServer']),
    ...known(Object.keys(siemSchema.entries), isJsonObject(file.audit) ? file.audit.siem : undefined, [
      'audit',
      'siem',
    ]),
    ...known(Object.keys(samplingSchema.entries), file.sampling, ['sampling']),
    ...unknownRbacFields(file.rbac, known),
    ...known(
      Object.keys(samplingProviderSchema.entries),
      isJsonObject(file.sampling) ? file.sampling.provider : undefined,
      ['sampling', 'provider'],
    ),
    ...known(Object.keys(searchSchema.entries), file.search, ['search']),
    ...known(embeddingsFields(embeddingsIn(file)), embeddingsIn(file), ['search', 'embeddings']),
    ...known(Object.keys(storageSchema.entries), file.storage, ['storage']),
    ...known(Object.keys(supervisorSchema.entries), file.supervisor, ['supervisor']),
    ...known(Object.keys(limitsSchema.entries), file.limits, ['limits']),
    ...each('profiles', ['servers', 'description', 'policy']),
    ...entriesOf(file.profiles).flatMap(([id, profile]) =>
      isJsonObject(profile)
        ? known(Object.keys(profilePolicySchema.entries), profile.policy, ['profiles', id, 'policy'])
        : [],
    ),
    ...each('capabilityAliases', ['target', 'summary', 'description', 'passthrough']),
    ...each('resourceAliases', ['target', 'summary', 'description']),
    ...each('promptAliases', ['target', 'summary', 'description']),
  ];
}

function embeddingsIn({ search }: JsonObject): unknown {
  return isJsonObject(search) ? search.embeddings : undefined;
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
