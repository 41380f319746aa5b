// AI clients of this machine: what their configuration files hold, and whether Portico is in them.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';
import { serverStatuses } from './servers.js';

const path = v.pipe(v.string(), v.description('Absolute path of its configuration file, whether it is there or not'));

/** An AI client, its configuration file, and the servers in it. */
export const ecosystemClientSchema = v.object({
  id: v.string(),
  name: v.string(),
  path,
  exists: v.pipe(v.boolean(), v.description('Whether the file is there')),
  servers: v.pipe(v.array(v.string()), v.description('Ids of the servers in the file; empty if it cannot be read')),
});
export type EcosystemClient = v.InferOutput<typeof ecosystemClientSchema>;

/** Answer of `GET /v1/config/ecosystem`. */
export const ecosystemSchema = v.object({ ok: v.literal(true), clients: v.array(ecosystemClientSchema) });

/** A file of an AI client that has servers to import. */
export const serverSourceSchema = v.object({
  client: v.pipe(v.string(), v.description('Id of the client')),
  path,
  server_id: v.pipe(v.string(), v.description('Id that an import gives it')),
  definition: v.pipe(jsonObjectSchema, v.description('As an entry of `mcpServers`, with every secret masked')),
  already_configured: v.pipe(v.boolean(), v.description('Whether a server of that id is configured')),
});
export type ServerSource = v.InferOutput<typeof serverSourceSchema>;

/** Answer of `GET /v1/config/sources`. */
export const sourcesSchema = v.object({ ok: v.literal(true), sources: v.array(serverSourceSchema) });

/** A server that an AI client reaches without Portico. */
export const directServerSchema = v.object({
  name: v.pipe(v.string(), v.description('As the file of the client has it')),
  behind_as: v.pipe(
    v.nullable(v.string()),
    v.description('Id of the server of Portico that runs the same command, or is at the same address; null for none'),
  ),
  problem: v.pipe(v.nullable(v.string()), v.description('Why it cannot be moved behind Portico; null if it can')),
});
export type DirectServer = v.InferOutput<typeof directServerSchema>;

/** An AI client of this machine: its file, whether Portico is attached, and its own servers. */
export const aiClientSchema = v.object({
  id: v.string(),
  name: v.string(),
  path,
  detected: v.pipe(v.boolean(), v.description('Whether its file or its folder is there')),
  attached: v.pipe(v.boolean(), v.description('Whether its file has the entry that attaching writes')),
  direct_servers: v.pipe(
    v.array(directServerSchema),
    v.description('Servers that the client reaches without Portico, past its policy and its audit log'),
  ),
});
export type AiClient = v.InferOutput<typeof aiClientSchema>;

/** Answer of `GET /v1/clients`. */
export const clientsListSchema = v.object({ ok: v.literal(true), clients: v.array(aiClientSchema) });

/** Answer of `GET /v1/clients/{id}/preview`. */
export const clientPreviewSchema = v.object({
  ok: v.literal(true),
  client: v.string(),
  path,
  change: v.pipe(
    v.nullable(
      v.object({
        line: v.pipe(v.number(), v.integer(), v.minValue(1), v.description('Where it begins in the file as it is')),
        removed: v.string(),
        added: v.string(),
      }),
    ),
    v.description('The part of the file that would change, nothing around it; null if it would stay'),
  ),
  restores: v.pipe(
    v.array(v.string()),
    v.description('Names of moved servers that detaching turns on again, which `change` does not show'),
  ),
});

/** Actions with a preview. */
export const clientActions = ['attach', 'detach'] as const;
export type ClientAction = (typeof clientActions)[number];

/** Answer of attaching, detaching and undoing: the client, and where its earlier file is kept. */
export const clientChangeSchema = v.object({
  ok: v.literal(true),
  client: v.string(),
  backup_path: v.pipe(
    v.nullable(v.string()),
    v.description('The file as it was before; null if nothing was written, or there was no file'),
  ),
});

/** Body of `POST /v1/clients/{id}/move`. */
export const clientMoveRequestSchema = v.object({
  servers: v.optional(
    v.nullable(
      v.pipe(
        v.array(v.string()),
        v.description('Names in the file of the client; absent or null for all that can be moved'),
      ),
    ),
  ),
  dry_run: v.optional(v.nullable(v.pipe(v.boolean(), v.description('Answer what would be done, and write nothing')))),
  check: v.optional(
    v.nullable(
      v.pipe(
        v.boolean(),
        v.description('Leave a server where it is if it does not connect behind Portico (default true)'),
      ),
    ),
  ),
});

const movedServerSchema = v.object({
  name: v.pipe(v.string(), v.description('As the file of the client has it')),
  server_id: v.pipe(v.string(), v.description('Its id in Portico')),
  imported: v.pipe(v.boolean(), v.description('Whether it is new in the configuration; false if it was there')),
  definition: v.pipe(jsonObjectSchema, v.description('As an entry of `mcpServers`, with every secret masked')),
  line: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.description('Where its entry begins in the file of the client'),
  ),
  switched_off_by: v.pipe(
    v.string(),
    v.description('`removed`, or the field that turns the entry off, such as `enabled: false`'),
  ),
  scope: v.pipe(
    v.nullable(v.string()),
    v.description('The folder that the entry was for alone; behind Portico it is there everywhere'),
  ),
  status: v.pipe(
    v.nullable(v.picklist(serverStatuses)),
    v.description('After its first connection; null for a dry run'),
  ),
  lost_fields: v.pipe(v.array(v.string()), v.description('Fields of the entry that have no equivalent in Portico')),
  plain_secrets: v.pipe(
    v.array(v.string()),
    v.description('Names of fields that hold a secret as it is, such as `env.TOKEN`, and never its value'),
  ),
});
export type MovedServer = v.InferOutput<typeof movedServerSchema>;

/** Answer of `POST /v1/clients/{id}/move`. */
export const clientMoveSchema = v.object({
  ok: v.literal(true),
  client: v.string(),
  path,
  config_path: v.pipe(v.string(), v.description('The configuration of Portico')),
  dry_run: v.boolean(),
  attached: v.pipe(v.boolean(), v.description('Only an attached client reaches the moved servers')),
  servers: v.array(movedServerSchema),
  left: v.pipe(
    v.array(v.object({ name: v.string(), reason: v.string() })),
    v.description('Servers that stay as they are in the file of the client, and why'),
  ),
  backup_path: v.pipe(
    v.nullable(v.string()),
    v.description('The file of the client as it was before; null if nothing was written'),
  ),
});
export type ClientMove = v.InferOutput<typeof clientMoveSchema>;
