// AI clients of this machine: what their configuration files hold, and whether Portico is in them.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';

const path = v.pipe(v.string(), v.description('Absolute path of its configuration file, whether it is there or not'));

export const ecosystemClientSchema = v.object({
  id: v.string(),
  name: v.string(),
  path,
  exists: v.pipe(v.boolean(), v.description('Whether the file is there')),
  servers: v.pipe(v.array(v.string()), v.description('Ids of the servers in the file; none where it cannot be read')),
});
export type EcosystemClient = v.InferOutput<typeof ecosystemClientSchema>;

export const ecosystemSchema = v.object({ ok: v.literal(true), clients: v.array(ecosystemClientSchema) });

export const serverSourceSchema = v.object({
  client: v.pipe(v.string(), v.description('Id of the client')),
  path,
  server_id: v.pipe(v.string(), v.description('Id that an import gives it')),
  definition: v.pipe(jsonObjectSchema, v.description('As an entry of `mcpServers`, with every secret masked')),
  already_configured: v.pipe(v.boolean(), v.description('Whether a server of that id is configured')),
});
export type ServerSource = v.InferOutput<typeof serverSourceSchema>;

export const sourcesSchema = v.object({ ok: v.literal(true), sources: v.array(serverSourceSchema) });

export const aiClientSchema = v.object({
  id: v.string(),
  name: v.string(),
  path,
  detected: v.pipe(v.boolean(), v.description('Whether its file or its folder is there')),
  attached: v.pipe(v.boolean(), v.description('Whether its file has the entry that attaching writes')),
});
export type AiClient = v.InferOutput<typeof aiClientSchema>;

export const clientsListSchema = v.object({ ok: v.literal(true), clients: v.array(aiClientSchema) });

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
    v.description('The part of the file that would be another one, nothing around it; null where it would stay'),
  ),
});

/** What can be looked at beforehand. */
export const clientActions = ['attach', 'detach'] as const;
export type ClientAction = (typeof clientActions)[number];

export const clientChangeSchema = v.object({
  ok: v.literal(true),
  client: v.string(),
  backup_path: v.pipe(
    v.nullable(v.string()),
    v.description('The file as it was before; null where nothing was written, or there was no file'),
  ),
});
