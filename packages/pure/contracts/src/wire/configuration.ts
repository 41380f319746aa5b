// Changes of the configuration while the service runs, their answers, and the feed of their effects on the catalog.
import * as v from 'valibot';
import { serverSchema } from '../config/server-schema.js';
import { jsonObjectSchema } from '../json.js';
import { serverInfoSchema, serverStatuses } from './servers.js';

const ok = v.literal(true);
const ids = v.array(v.string());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const serverId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)'));

/** Body of `POST /v1/config/servers`. Masked values mean the stored ones. */
export const upsertServerRequestSchema = v.object({ name: serverId, server: serverSchema });

/** The kinds of entries that an alias may name. */
export const aliasKinds = ['tool', 'resource', 'prompt'] as const;
export type AliasKind = (typeof aliasKinds)[number];

/** Body of `POST /v1/config/alias`. Without a target the alias is removed. */
export const updateAliasRequestSchema = v.object({
  kind: v.picklist(aliasKinds),
  alias: v.pipe(v.string(), v.minLength(1), v.maxLength(1024)),
  target: v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(4096)))),
  summary: v.optional(v.nullable(v.string())),
  description: v.optional(v.nullable(v.string())),
  passthrough: v.optional(v.nullable(v.pipe(v.boolean(), v.description('Tools only')))),
});
export type UpdateAliasRequest = v.InferOutput<typeof updateAliasRequestSchema>;

/** Body of `POST /v1/config/profiles`. */
export const profileRequestSchema = v.object({
  name: serverId,
  servers: v.array(v.string()),
  description: v.optional(v.nullable(v.string())),
});
export type ProfileRequest = v.InferOutput<typeof profileRequestSchema>;

/** Body of `POST /v1/config/import`. */
export const importRequestSchema = v.object({
  source_path: v.optional(
    v.nullable(
      v.pipe(
        v.string(),
        v.regex(/^([/\\]|[A-Za-z]:[/\\])/, 'must be an absolute path'),
        v.description('The one file to read; absent or null for the files of all AI clients that are known'),
      ),
    ),
  ),
  overwrite: v.optional(v.nullable(v.pipe(v.boolean(), v.description('Replace servers that are configured')))),
});

/** Answer of `POST /v1/config/import`. */
export const importedSchema = v.object({
  ok,
  imported: v.pipe(ids, v.description('Ids of the servers that are configured now')),
  skipped: v.array(v.object({ server_id: v.string(), client: v.string(), reason: v.string() })),
  errors: v.array(v.object({ path: v.string(), message: v.string() })),
});

/** Effects of a configuration change on the servers. */
export const serverChangesSchema = v.object({ mounted: ids, unmounted: ids, updated: ids, unchanged: ids });
export type ServerChanges = v.InferOutput<typeof serverChangesSchema>;

const catalogVersion = v.pipe(v.string(), v.description('Digest of the catalog after the change'));
const status = v.picklist(serverStatuses);

/** Answer of `POST /v1/config/servers`. */
export const serverUpsertedSchema = v.object({
  ok,
  server: v.string(),
  status,
  changes: serverChangesSchema,
  catalog_version: catalogVersion,
});
/** Answer of `DELETE /v1/config/servers/{id}`. */
export const serverDeletedSchema = v.object({ ok, server: v.string(), catalog_version: catalogVersion });
/** Answer of `POST /v1/config/servers/{id}/restart`. */
export const serverRestartedSchema = v.object({ ok, server: v.string(), status });
/** Answer of `POST /v1/config/alias`. */
export const aliasUpdatedSchema = v.object({
  ok,
  kind: v.picklist(aliasKinds),
  alias: v.string(),
  target: v.nullable(v.string()),
  catalog_version: catalogVersion,
});
/** Answer of `POST /v1/config/profiles`. */
export const profileUpdatedSchema = v.object({
  ok,
  profile: v.string(),
  servers: ids,
  catalog_version: catalogVersion,
});
/** Answer of `DELETE /v1/config/profiles/{id}`. */
export const profileDeletedSchema = v.object({ ok, profile: v.string(), catalog_version: catalogVersion });
/** Answer of `POST /v1/config/policy`. */
export const policyInForceSchema = v.object({
  ok,
  policy: v.object({
    allow: ids,
    deny: ids,
    require_approval: ids,
    rules: v.optional(
      v.pipe(
        v.array(
          v.object({
            id: v.string(),
            match: v.string(),
            when: v.string(),
            effect: v.picklist(['deny', 'require_approval']),
            reason: v.nullable(v.string()),
            shadow: v.boolean(),
          }),
        ),
        v.description('Rules on the arguments of calls; absent if there are none'),
      ),
    ),
    shadow: v.optional(
      v.pipe(
        v.object({ allow: ids, deny: ids, require_approval: ids }),
        v.description('Rules on trial, which decide nothing; absent if there are none'),
      ),
    ),
    redact_keys: ids,
    approval_timeout_secs: count,
    webhook: v.nullable(jsonObjectSchema),
  }),
  catalog_version: catalogVersion,
});
export type PolicyInForce = v.InferOutput<typeof policyInForceSchema>['policy'];

/** Answer of `POST /v1/config/reload`. */
export const reloadedSchema = v.object({
  ok,
  ...serverChangesSchema.entries,
  needs_restart: v.pipe(ids, v.description('Fields that differ from those in force, which count from the next start')),
  catalog_version: catalogVersion,
});

const issueSchema = v.object({ path: v.string(), message: v.string() });

/** Counts since the daemon started, with its uptime in seconds and the approvals that wait now. */
export const activitySchema = v.object({
  uptime_secs: count,
  catalog_requests: count,
  not_modified: count,
  executions: count,
  executions_failed: count,
  replays: count,
  approvals_pending: count,
});
export type Activity = v.InferOutput<typeof activitySchema>;

/** Answer of `GET /v1/config`. */
export const configAnswerSchema = v.object({
  ok,
  config: v.pipe(jsonObjectSchema, v.description('The file in force, with defaults; secrets are ********')),
  config_path: v.string(),
  profiles: v.record(v.string(), v.object({ servers: ids, description: v.nullable(v.string()) })),
  servers: v.array(serverInfoSchema),
  metrics: activitySchema,
  file_issues: v.pipe(
    v.array(issueSchema),
    v.description(
      'Problems of the file as it was changed by hand, or by another daemon; the file is not in force until it is fixed',
    ),
  ),
});

/** One change of the catalog; `id` counts up. */
export const catalogEventSchema = v.object({
  id: v.string(),
  timestamp: v.pipe(v.number(), v.integer(), v.description('Unix seconds')),
  object_type: v.picklist(['capability', 'resource', 'prompt']),
  object_id: v.string(),
  change_type: v.picklist(['added', 'removed', 'updated']),
  catalog_version: v.string(),
});
export type CatalogEvent = v.InferOutput<typeof catalogEventSchema>;

/** Answer of `GET /v1/catalog/events`. */
export const catalogEventsSchema = v.object({
  catalog_version: v.string(),
  cursor: v.pipe(v.string(), v.description('Opaque; give it as `after` to receive the next events')),
  events: v.array(catalogEventSchema),
  reset: v.optional(
    v.pipe(v.literal(true), v.description('The cursor was unknown or too old: these are all events that are kept')),
  ),
});
