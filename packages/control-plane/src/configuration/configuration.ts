// The parts that operators change while the service runs: servers, aliases, policy, profiles, or the file as a whole.
import { untilAborted } from '@portico/async';
import {
  type AliasKind,
  type Issue,
  type JsonObject,
  maskSecrets,
  type PolicyInForce,
  type PolicyRequest,
  PorticoError,
  type ProfileRequest,
  type ServerChanges,
  type ServerStatus,
  type UpdateAliasRequest,
} from '@portico/contracts';
import { startDeadline } from '@portico/upstream-pool';
import type { ConfigAuthor } from '../audit/change-draft.js';
import { operator } from '../call/call.js';
import type { PlaneState } from '../state/plane-state.js';
import type { AiClients, ImportedServer, ImportPlan, ImportRequest } from './clients/ai-clients.js';
import type { ServerPlacement } from './clients/server-placement.js';
import { type ChangeCause, InvalidConfig } from './config-source.js';
import { type ConfigWriter, type ConfigWriterDeps, createConfigWriter, drainMs } from './config-writer.js';
import {
  aliasEdits,
  aliasFields,
  deleteServerEdits,
  objectAt,
  policyEdits,
  profileEdits,
  upsertServerEdits,
} from './edits.js';
import { createPlacement, firstConnectionMs } from './place-servers.js';
import { policyInForce } from './policy-in-force.js';

export interface ServerUpserted {
  readonly status: ServerStatus;
  readonly changes: ServerChanges;
}

export interface Reloaded extends ServerChanges {
  /** Fields that differ from those in force, which count from the next start. */
  readonly needsRestart: readonly string[];
}

/** Ids of the servers that are configured now, and why others are not. */
export interface Imported extends Pick<ImportPlan, 'skipped' | 'errors'> {
  readonly imported: readonly string[];
}

/** Everything that changes rejects with PorticoError: INVALID_ARGS with nothing changed, or RESOURCE_NOT_FOUND. */
export interface Configuration {
  readonly path: string;
  /** The file in force, secrets masked. */
  shown(): JsonObject;
  /** The problems of the file as last read, or of changes of other daemons that cannot be used; else empty. */
  fileIssues(): readonly Issue[];
  /** Resolves when the server has been tried once, after 5 seconds at the latest. */
  upsertServer(by: ConfigAuthor, name: string, definition: JsonObject): Promise<ServerUpserted>;
  /** Resolves when its session is closed and its process has ended. */
  deleteServer(by: ConfigAuthor, id: string): Promise<void>;
  /** As `upsertServer`. Calls that run at the server are lost. */
  restartServer(by: ConfigAuthor, id: string): Promise<ServerStatus>;
  updateAlias(by: ConfigAuthor, request: UpdateAliasRequest): Promise<void>;
  /** @returns what is in force then */
  mergePolicy(by: ConfigAuthor, request: PolicyRequest): Promise<PolicyInForce>;
  putProfile(by: ConfigAuthor, request: ProfileRequest): Promise<void>;
  deleteProfile(by: ConfigAuthor, id: string): Promise<void>;
  /** Takes servers over from the files of AI clients. */
  importServers(by: ConfigAuthor, request: Omit<ImportRequest, 'existingIds'>): Promise<Imported>;
  reload(by: ConfigAuthor): Promise<Reloaded>;
}

export interface ConfigurationService extends Configuration {
  /** For moving servers of AI clients. */
  readonly placement: ServerPlacement;
  /** Mounts the servers that are configured and follows the file. */
  start(): void;
  /** Takes no more changes; resolves when the one that runs is done. */
  close(): Promise<void>;
}

export interface ConfigurationDeps extends ConfigWriterDeps {
  readonly randomHex: (characters: number) => string;
  readonly aiClients: Pick<AiClients, 'planImport'>;
}

/** Defaults that are shown even if the file does not set them. */
const shownDefaults: JsonObject = {
  port: 9090,
  toolTimeoutMs: 15_000,
  capabilityAliases: {},
  resourceAliases: {},
  promptAliases: {},
  policy: null,
  audit: null,
  profiles: {},
  mcpHttpServer: null,
};

export function createConfiguration(deps: ConfigurationDeps): ConfigurationService {
  const { source, holder, aiClients } = deps;
  const writer = createConfigWriter(deps);
  let unwatch = () => {};
  return {
    path: source.path,
    shown: () => maskSecrets({ ...shownDefaults, ...writer.file() }),
    fileIssues: writer.issues,
    ...serverChanging(writer, deps),
    placement: createPlacement(writer, deps),
    async updateAlias(by, request) {
      const { kind, alias, target = null } = request;
      await writer.change(by, { action: 'alias_update', details: { kind, alias, target } }, (file, { catalog }) => {
        if (target === null) mustHave(file, [aliasFields[kind], alias], `no ${kind} alias "${alias}"`);
        else if (isCanonical(catalog, kind, alias)) throw new InvalidConfig([taken(alias)]);
        return aliasEdits(file, request);
      });
    },
    async mergePolicy(by, request) {
      const details = { fields: Object.keys(request) };
      await writer.change(by, { action: 'policy_update', details }, (file) => policyEdits(file, request));
      return policyInForce(holder.state().config.policy);
    },
    async putProfile(by, request) {
      const details = { profile: request.name, servers: request.servers };
      await writer.change(by, { action: 'profile_update', details }, () => profileEdits(request));
    },
    async deleteProfile(by, id) {
      await writer.change(by, { action: 'profile_delete', details: { profile: id } }, (file) => {
        mustHave(file, ['profiles', id], `no profile "${id}"`);
        return [{ path: ['profiles', id], value: undefined }];
      });
    },
    async importServers(by, request) {
      const existingIds = new Set(Object.keys(objectAt(writer.file(), 'mcpServers')));
      const { imported, skipped, errors } = await aiClients.planImport({ ...request, existingIds });
      const ids = imported.map(({ server_id }) => server_id);
      let late: readonly ImportedServer[] = []; // configured since the plan was made
      await writer.change(by, { action: 'import', details: { servers: ids } }, (file) => {
        const there = objectAt(file, 'mcpServers');
        late = imported.filter(({ server_id }) => !request.overwrite && Object.hasOwn(there, server_id));
        const taken = imported.filter((server) => !late.includes(server));
        return taken.flatMap(({ server_id, definition }) => upsertServerEdits(file, server_id, definition));
      });
      const lateIds = late.map(({ server_id }) => server_id);
      const left = late.map(({ server_id, client }) => ({ server_id, client, reason: 'was configured in between' }));
      return { imported: ids.filter((id) => !lateIds.includes(id)), skipped: [...skipped, ...left], errors };
    },
    async reload(by) {
      const { changes, needsRestart } = await writer.load(by, { action: 'reload', details: { source: 'request' } });
      return { ...changes, needsRestart };
    },
    start() {
      writer.start();
      unwatch = source.watch((cause) => followFile(writer, deps, cause));
    },
    async close() {
      unwatch();
      await writer.close();
    },
  };
}

function serverChanging(
  writer: ConfigWriter,
  { pool, known, clock }: ConfigurationDeps,
): Pick<Configuration, 'upsertServer' | 'deleteServer' | 'restartServer'> {
  const attempted = async (id: string, graceMs = 0): Promise<ServerStatus> => {
    const upstream = pool.get(id);
    if (upstream === undefined) return 'connecting';
    const waiting = startDeadline(clock, graceMs + firstConnectionMs);
    await untilAborted(upstream.attempted, waiting.signal).catch(() => {});
    waiting.stop();
    return upstream.info().status;
  };

  return {
    async upsertServer(by, name, definition) {
      const { changes } = await writer.change(by, { action: 'server_upsert', details: { server: name } }, (file) =>
        upsertServerEdits(file, name, definition),
      );
      return { changes, status: await attempted(name) };
    },
    async deleteServer(by, id) {
      const { gone } = await writer.change(by, { action: 'server_delete', details: { server: id } }, (file) => {
        mustHave(file, ['mcpServers', id], `no server "${id}"`);
        return deleteServerEdits(file, id);
      });
      await gone;
    },
    async restartServer(by, id) {
      await writer.act(by, { action: 'server_restart', details: { server: id } }, ({ config }) => {
        const server = config.servers.get(id);
        if (server === undefined) throw new PorticoError('RESOURCE_NOT_FOUND', `no server "${id}"`);
        pool.replace(id, server, { graceMs: drainMs, known: known.get(id, server), isWanted: true });
      });
      return attempted(id, drainMs);
    },
  };
}

/** After an edit from outside: puts the file in force, or reports its problems. */
async function followFile(
  writer: ConfigWriter,
  { randomHex, log }: ConfigurationDeps,
  source: ChangeCause,
): Promise<void> {
  const by = { identity: operator, correlation: { requestId: null, traceId: randomHex(32) } };
  await writer.load(by, { action: 'reload', details: { source } }).catch((error: unknown) => {
    log('error', 'the changed configuration file is not in force', { error });
  });
}

/** @throws PorticoError RESOURCE_NOT_FOUND */
function mustHave(file: JsonObject, path: readonly string[], message: string): void {
  const name = path.at(-1) ?? '';
  if (!Object.hasOwn(objectAt(file, ...path.slice(0, -1)), name)) throw new PorticoError('RESOURCE_NOT_FOUND', message);
}

function isCanonical(
  { findCapability, findResource, findPrompt }: PlaneState['catalog'],
  kind: AliasKind,
  id: string,
): boolean {
  switch (kind) {
    case 'tool':
      return findCapability(id)?.canonicalId === id;
    case 'resource':
      return findResource(id)?.entry.canonicalId === id;
    case 'prompt':
      return findPrompt(id)?.canonicalId === id;
  }
}

function taken(alias: string): Issue {
  return { path: 'alias', message: `"${alias}" is the id of an existing entry; choose another name` };
}
