// The configuration file as it is written. Unknown keys are let through: they belong to their owner and survive.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { auditSchema } from './audit-schema.js';
import { mcpExposureSchema, mcpHttpServerSchema } from './mcp-schema.js';
import { namedMap } from './named-map.js';
import { policySchema, profilePolicySchema } from './policy-schema.js';
import { rbacSchema } from './rbac-schema.js';
import { samplingSchema } from './sampling-schema.js';
import { searchSchema } from './search-schema.js';
import { milliseconds, resilienceSchema, serverSchema } from './server-schema.js';

const aliasSchema = v.union(
  [
    v.pipe(v.string(), v.minLength(1)),
    v.looseObject({
      target: v.pipe(v.string(), v.minLength(1)),
      summary: v.optional(v.string()),
      description: v.optional(v.string()),
    }),
  ],
  'expected a target such as "server.name", or an object with `target`',
);

const capabilityAliasSchema = v.union(
  [
    v.pipe(v.string(), v.minLength(1)),
    v.looseObject({
      target: v.pipe(v.string(), v.minLength(1)),
      summary: v.optional(v.string()),
      description: v.optional(v.string()),
      passthrough: v.optional(
        v.pipe(v.boolean(), v.description('Offer the tool to MCP clients under the alias itself')),
      ),
    }),
  ],
  'expected a target such as "server.tool", or an object with `target`',
);

const profileSchema = notAList(
  v.looseObject({
    servers: v.array(v.string()),
    description: v.optional(v.string()),
    policy: v.optional(v.nullable(profilePolicySchema)),
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
    capabilityAliases: v.optional(namedMap(capabilityAliasSchema)),
    resourceAliases: v.optional(namedMap(aliasSchema)),
    promptAliases: v.optional(namedMap(aliasSchema)),
    profiles: v.optional(namedMap(profileSchema)),
    mcpServers: v.pipe(namedMap(serverSchema), v.description('Upstream MCP servers by id')),
    authToken: v.optional(
      v.pipe(v.string(), v.minLength(1), v.description('Shared bearer token; beyond loopback it or rbac is required')),
    ),
    resilience: v.optional(resilienceSchema),
    policy: v.optional(v.nullable(policySchema)),
    rbac: v.optional(v.nullable(rbacSchema)),
    idempotency: v.optional(v.nullable(idempotencySchema)),
    audit: v.optional(v.nullable(auditSchema)),
    sampling: v.optional(v.nullable(samplingSchema)),
    search: v.optional(v.nullable(searchSchema)),
    mcpHttpServer: v.optional(v.nullable(mcpHttpServerSchema)),
    mcpExposure: v.optional(v.nullable(mcpExposureSchema)),
  }),
);

export type RawConfig = v.InferOutput<typeof configFileSchema>;
export type RawAlias = v.InferOutput<typeof capabilityAliasSchema>;
