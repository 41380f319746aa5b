// The configuration file as it is written. Unknown keys are let through: they belong to their owner and survive.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { accessSchema } from './access-schema.js';
import { approvalsSchema } from './approvals-schema.js';
import { auditSchema } from './audit-schema.js';
import { budgetsSchema, pricesSchema } from './budgets-schema.js';
import { inspectSchema } from './inspect-schema.js';
import { limitsSchema } from './limits-schema.js';
import { lockSchema } from './lock-schema.js';
import { loopsSchema } from './loops-schema.js';
import { mcpExposureSchema, mcpHttpServerSchema, mcpSchema } from './mcp-schema.js';
import { namedMap } from './named-map.js';
import { policySchema, profilePolicySchema } from './policy-schema.js';
import { rbacSchema } from './rbac-schema.js';
import { rootsSchema } from './roots-schema.js';
import { samplingSchema } from './sampling-schema.js';
import { searchSchema } from './search-schema.js';
import { milliseconds, resilienceSchema, serverSchema } from './server-schema.js';
import { storageSchema } from './storage-schema.js';
import { supervisorSchema } from './supervisor-schema.js';

const aliasFields = {
  target: v.pipe(v.string(), v.minLength(1), v.description('The canonical id `<server>.<name>` that the alias names')),
  summary: v.optional(v.pipe(v.string(), v.description('Shown in place of the target’s own summary'))),
  description: v.optional(v.pipe(v.string(), v.description('Shown in place of the target’s own description'))),
};

const aliasSchema = v.union(
  [
    v.pipe(v.string(), v.minLength(1)),
    v.looseObject({
      ...aliasFields,
    }),
  ],
  'expected a target such as "server.name", or an object with `target`',
);

const capabilityAliasSchema = v.union(
  [
    v.pipe(v.string(), v.minLength(1)),
    v.looseObject({
      ...aliasFields,
      passthrough: v.optional(
        v.pipe(v.boolean(), v.description('Offer the tool to MCP clients under the alias itself')),
      ),
    }),
  ],
  'expected a target such as "server.tool", or an object with `target`',
);

const profileSchema = notAList(
  v.looseObject({
    servers: v.pipe(v.array(v.string()), v.description('Ids of the servers that it shows')),
    description: v.optional(v.pipe(v.string(), v.description('Its purpose'))),
    policy: v.optional(v.pipe(v.nullable(profilePolicySchema), v.description('Narrows the policy further'))),
  }),
);

/** A year; records are rows of the state database until they expire. */
const maxTtlSecs = 31_536_000;

const idempotencySchema = notAList(
  v.looseObject({
    ttlSecs: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(maxTtlSecs),
        v.description('Seconds for which outcomes are kept under their idempotency keys (default 86400)'),
      ),
    ),
  }),
);

/** Valibot schema of the configuration file (`mcp_servers.json`); `configJsonSchema()` is the same as JSON Schema. */
export const configFileSchema = notAList(
  v.looseObject({
    port: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.maxValue(65_535),
        v.description('HTTP port; 0 takes any free one (default 9090)'),
      ),
    ),
    toolTimeoutMs: v.optional(
      v.pipe(milliseconds(1), v.description('Deadline of one upstream operation in milliseconds (default 15000)')),
    ),
    maxToolTimeoutMs: v.optional(
      v.pipe(
        milliseconds(1),
        v.description(
          'How far the progress that a server reports extends that deadline, by `toolTimeoutMs` each time, in milliseconds (default 600000)',
        ),
      ),
    ),
    taskTimeoutMs: v.optional(
      v.pipe(
        milliseconds(1),
        v.description('Deadline of a call that goes on as a task, in milliseconds (default 1800000)'),
      ),
    ),
    capabilityAliases: v.optional(
      v.pipe(
        namedMap(capabilityAliasSchema),
        v.description('Tools by the names they are to have: a target or an object'),
      ),
    ),
    resourceAliases: v.optional(v.pipe(namedMap(aliasSchema), v.description('Likewise for resources'))),
    promptAliases: v.optional(v.pipe(namedMap(aliasSchema), v.description('Likewise for prompts'))),
    profiles: v.optional(v.pipe(namedMap(profileSchema), v.description('Views of some of the servers, by id'))),
    mcpServers: v.pipe(namedMap(serverSchema), v.description('Upstream MCP servers by id')),
    authToken: v.optional(
      v.pipe(v.string(), v.minLength(1), v.description('Shared bearer token; beyond loopback it or rbac is required')),
    ),
    access: v.optional(v.pipe(v.nullable(accessSchema), v.description('Access on loopback without a token'))),
    resilience: v.optional(
      v.pipe(resilienceSchema, v.description('For all servers; a server overrides field by field')),
    ),
    policy: v.optional(
      v.pipe(v.nullable(policySchema), v.description('Rules for calls and approvals, and keys to redact in logs')),
    ),
    approvals: v.optional(
      v.pipe(v.nullable(approvalsSchema), v.description('Where links to tickets lead, and who gets notices of them')),
    ),
    rbac: v.optional(v.pipe(v.nullable(rbacSchema), v.description('Roles, and the tokens that give them'))),
    idempotency: v.optional(v.pipe(v.nullable(idempotencySchema), v.description('Settings of idempotent calls'))),
    audit: v.optional(
      v.pipe(v.nullable(auditSchema), v.description('The audit log; in memory unless it says otherwise')),
    ),
    sampling: v.optional(
      v.pipe(v.nullable(samplingSchema), v.description('Providers that answer sampling requests of servers')),
    ),
    roots: v.optional(v.nullable(rootsSchema)),
    search: v.optional(v.pipe(v.nullable(searchSchema), v.description('Search by meaning; by words without it'))),
    storage: v.optional(
      v.pipe(
        v.nullable(storageSchema),
        v.description('Where durable state is kept; SQLite in the state directory without it'),
      ),
    ),
    limits: v.optional(
      v.pipe(v.nullable(limitsSchema), v.description('Limits of one call, one principal and one process')),
    ),
    mcpHttpServer: v.optional(
      v.pipe(v.nullable(mcpHttpServerSchema), v.description('The listener for MCP clients; none without it')),
    ),
    mcpExposure: v.optional(v.nullable(mcpExposureSchema)),
    supervisor: v.optional(
      v.pipe(v.nullable(supervisorSchema), v.description('How servers that were given up on are looked after')),
    ),
    inspect: v.optional(
      v.pipe(v.nullable(inspectSchema), v.description('The wire log: messages of servers, kept in memory')),
    ),
    lock: v.optional(
      v.pipe(
        v.nullable(lockSchema),
        v.description('The accepted definitions of servers; without it no definition is compared'),
      ),
    ),
    loops: v.optional(
      v.pipe(
        v.nullable(loopsSchema),
        v.description('Stops calls that repeat themselves without a change; off without it'),
      ),
    ),
    budgets: v.optional(
      v.pipe(
        v.nullable(budgetsSchema),
        v.description('How much calls may take in a window of time; no limit without them'),
      ),
    ),
    prices: v.optional(
      v.pipe(
        v.nullable(namedMap(pricesSchema)),
        v.description('Prices of calls for `cost` of a budget, by id or pattern; the first that matches counts'),
      ),
    ),
    mcp: v.optional(v.pipe(v.nullable(mcpSchema), v.description('How MCP clients are served, over every transport'))),
  }),
);

/** The fields of a configuration file that Portico knows. */
export type ConfigField = keyof typeof configFileSchema.entries;

export type RawConfig = v.InferOutput<typeof configFileSchema>;
/** The content of a configuration file, as a type for configuration in code. */
export type ConfigInput = v.InferInput<typeof configFileSchema>;
export type RawAlias = v.InferOutput<typeof capabilityAliasSchema>;
