// How the upstream servers are doing, as operators see it.
import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** `idle`: a lazy server that nothing needs at the moment; it starts when something does. */
export const serverStatuses = ['connecting', 'connected', 'degraded', 'reconnecting', 'disabled', 'idle'] as const;
export type ServerStatus = (typeof serverStatuses)[number];

/**
 * Why a question of a server was refused: its call came from a client that does not declare to answer it, the
 * configuration of the server leaves it out (`clientCapabilities`), or no call ran.
 */
export const refusalReasons = ['caller_cannot_answer', 'not_declared_to_server', 'outside_of_calls'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** How a server is doing: connection, circuit, queue and counts. */
export const serverInfoSchema = v.object({
  id: v.string(),
  transport: v.picklist(['stdio', 'http']),
  status: v.picklist(serverStatuses),
  protocol_version: v.nullable(v.pipe(v.string(), v.description('Negotiated MCP revision, null until connected'))),
  pid: v.optional(v.number()),
  processes: v.optional(
    v.pipe(
      count,
      v.description('Processes of the server that run, where a call that asks has one of its own beside others'),
    ),
  ),
  circuit: v.object({
    state: v.picklist(['closed', 'open', 'half_open']),
    consecutive_failures: count,
    remaining_ms: v.pipe(v.number(), v.minValue(0), v.description('Milliseconds until an open circuit admits a probe')),
  }),
  given_up: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'With `disabled`: its restarts are used up (`maxRestarts`). It is tried once every `supervisor.retryGivenUpSecs`',
      ),
    ),
  ),
  restarts: v.pipe(count, v.description('Restarts of its process; 0 for a server over HTTP')),
  reconnects: v.optional(v.pipe(count, v.description('How often a server over HTTP was connected to again'))),
  queued: v.pipe(count, v.description('Calls that wait for a place at the server')),
  running: v.pipe(count, v.description('Calls that are at the server, or on their way to it')),
  tools: count,
  resources: count,
  prompts: count,
  definition_tokens: v.optional(
    v.pipe(
      count,
      v.description(
        'Tokens of its tool definitions, estimated as a quarter of their bytes as JSON: what a client that loads them all spends. Admins only, in `GET /v1/servers`',
      ),
    ),
  ),
  definition_problems: v.optional(
    v.pipe(
      v.array(
        v.object({
          list: v.picklist(['tools', 'resources', 'resourceTemplates', 'prompts']),
          name: v.string(),
          left_out: v.boolean(),
          reason: v.string(),
        }),
      ),
      v.description('Definitions of the server that break the MCP schema: left out, or repaired'),
    ),
  ),
  refused_requests: v.optional(
    v.pipe(
      v.array(
        v.object({
          method: v.picklist(['elicitation/create', 'sampling/createMessage', 'roots/list']),
          reason: v.picklist(refusalReasons),
          count: v.pipe(count, v.description('Since the server was configured as it is, or since the start')),
        }),
      ),
      v.description('Requests of the server that were answered with an error, since they could reach no caller'),
    ),
  ),
  last_error: v.optional(
    v.pipe(v.string(), v.description('The last error; for a child, with the last line of its output before that')),
  ),
  last_line: v.optional(v.pipe(v.string(), v.description('That line; operators only'))),
  login_url: v.optional(
    v.pipe(v.string(), v.description('Link that a person must open to log in (OAuth); there while a login is awaited')),
  ),
});
export type ServerInfo = v.InferOutput<typeof serverInfoSchema>;

/** Between the error and the line. */
export const lastLineMark = '; its last line: ';

/** Answer of `GET /v1/servers`. */
export const serversResponseSchema = v.object({ ok: v.literal(true), servers: v.array(serverInfoSchema) });

/** Answer of `GET /v1/servers/{id}/logs`. */
export const serverLogsResponseSchema = v.object({
  ok: v.literal(true),
  server: v.string(),
  lines: v.array(
    v.object({ timestamp: v.pipe(v.string(), v.description('RFC 3339, milliseconds')), text: v.string() }),
  ),
});
export type ServerLogLine = v.InferOutput<typeof serverLogsResponseSchema>['lines'][number];

/** Answer of `GET /healthz`. */
export const healthSchema = v.object({ ok: v.literal(true) });

/** Answer of `GET /v1/access`: the role and the rights of the caller. */
export const accessAnswerSchema = v.object({
  ok: v.literal(true),
  role: v.pipe(v.nullable(v.string()), v.description('A role of `rbac.roles`; null if the caller has none of these')),
  actor: v.pipe(v.nullable(v.string()), v.description('The name that was proved; null without one')),
  admin: v.pipe(v.boolean(), v.description('Whether the caller may use the routes of admins')),
});

/** Answer of `GET /readyz`. */
export const readinessSchema = v.object({
  ok: v.literal(true),
  /** Absent for anonymous callers. */
  servers: v.optional(v.record(v.string(), v.picklist(serverStatuses))),
});

/** A status as it is shown to people: of a server that was given up on not the one that an operator would have set. */
export function shownStatus({ status, given_up }: Pick<ServerInfo, 'status' | 'given_up'>): string {
  return given_up === true ? 'crashed' : status;
}

/** A circuit as it is shown to people: a closed circuit is shown only for a connected server. */
export function shownCircuit({
  status,
  circuit,
}: Pick<ServerInfo, 'status' | 'circuit'>): ServerInfo['circuit'] | undefined {
  return status === 'connected' || circuit.state !== 'closed' ? circuit : undefined;
}
