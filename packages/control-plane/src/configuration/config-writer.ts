// The one writer of the configuration while the service runs: every change is validated as a whole, written to the
// file, put in force and recorded, one after the other. A refused change has no effect.
import { createMutex } from '@portico/async';
import {
  type Config,
  describeIssues,
  type Issue,
  type JsonObject,
  PorticoError,
  type ServerChanges,
  type ServerConfig,
} from '@portico/contracts';
import type { Clock, UpstreamPool } from '@portico/upstream-pool';
import type { AuditLog } from '../audit/audit-log.js';
import { type ConfigAuthor, configChangeDraft } from '../audit/change-draft.js';
import type { KnownServers } from '../catalog/definitions/known-servers.js';
import type { StateHolder } from '../catalog/state-holder.js';
import type { Log } from '../common/log.js';
import { inStage, type Stages } from '../common/stage.js';
import type { PlaneState } from '../state/plane-state.js';
import { isSameButLifecycle } from '../state/server-changes.js';
import { type ConfigEdit, type ConfigSource, InvalidConfig, type LoadedConfig } from './config-source.js';
import { keepUntilRestart } from './restart-fields.js';

export interface ConfigWriterDeps {
  readonly source: ConfigSource;
  readonly holder: StateHolder;
  readonly known: Pick<KnownServers, 'get'>;
  readonly pool: UpstreamPool;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly stages: Stages;
  /** Called with every configuration that comes into force. */
  readonly onConfigured?: ((config: Config) => void) | undefined;
}

/** The name of a change in its audit record, beside its effect on the servers. */
export interface ChangeName {
  readonly action: string;
  readonly details: JsonObject;
}

/** @throws the reason why the change is impossible */
export type MakeEdits = (file: JsonObject, state: PlaneState) => readonly ConfigEdit[];

export interface Changed {
  readonly changes: ServerChanges;
  /** Fields that differ from those in force, which count from the next start. */
  readonly needsRestart: readonly string[];
  /** Resolves when the removed servers have stopped. */
  readonly gone: Promise<unknown>;
}

export interface ConfigWriter {
  /** The file in force. */
  file(): JsonObject;
  /** The problems of the file as last read; empty while it, with all changes of other daemons, is in force. */
  issues(): readonly Issue[];
  /**
   * Writes the edits and puts them in force. @throws PorticoError, with nothing changed; INTERNAL_ERROR also if the
   * file has them and other daemons could not be notified: they come into force when that succeeds later
   */
  change(by: ConfigAuthor, name: ChangeName, edits: MakeEdits): Promise<Changed>;
  /** Puts the file in force as it is. @throws PorticoError, with nothing changed */
  load(by: ConfigAuthor, name: ChangeName): Promise<Changed>;
  /** Does something that changes no file, between two changes. */
  act(by: ConfigAuthor, name: ChangeName, work: (state: PlaneState) => void): Promise<void>;
  /** Mounts the servers that are configured; from now on a change mounts and unmounts. */
  start(): void;
  /** Takes no more changes; resolves when the one that runs is done. */
  close(): Promise<void>;
}

/** Time that calls at a replaced, restarted or removed server may take to finish, milliseconds. */
export const drainMs = 5000;

export function createConfigWriter(deps: ConfigWriterDeps): ConfigWriter {
  const { source, holder, known, pool, log, stages, onConfigured } = deps;
  let { file, issues = [] } = source.current();
  let isStarted = false;
  const mutex = createMutex();
  let isClosed = false;
  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    isClosed ? Promise.reject(new PorticoError('INTERNAL_ERROR', 'the service is stopping')) : mutex.run(work);

  const putInForce = (loaded: LoadedConfig, { action }: ChangeName): Changed => {
    const before = holder.state().config;
    const { config, needsRestart } = keepUntilRestart(before, loaded.config);
    const changes = inStage(stages, 'changing the configuration', action, () => holder.replaceConfig(config));
    onConfigured?.(config);
    file = loaded.file;
    issues = loaded.issues ?? [];
    if (needsRestart.length > 0) log('warn', 'changed fields of the configuration need a restart', { needsRestart });
    return { changes, needsRestart, gone: isStarted ? applyServers(deps, changes, before, config) : Promise.resolve() };
  };

  return {
    file: () => file,
    issues: () => issues,
    change: (by, name, edits) =>
      inTurn(() =>
        recorded(deps, by, name, async () =>
          putInForce(await source.change((current) => edits(current, holder.state())), name),
        ),
      ),
    load: (by, name) =>
      inTurn(() =>
        recorded(deps, by, name, async () => {
          const loaded = await source.load().catch((error: unknown) => {
            if (error instanceof InvalidConfig) issues = error.issues;
            throw error;
          });
          const done = putInForce(loaded, name);
          return isStarted ? { ...done, changes: revive(deps, done.changes) } : done;
        }),
      ),
    async act(by, name, work) {
      await inTurn(() =>
        recorded(deps, by, name, async () => {
          work(holder.state());
          return undefined;
        }),
      );
    },
    start() {
      isStarted = true;
      for (const [id, server] of holder.state().config.servers) {
        if (pool.get(id) === undefined) pool.mount(id, server, known.get(id, server)); // a restart may have been asked for already
      }
    },
    async close() {
      isClosed = true;
      await mutex.idle();
    },
  };
}

/** Leaves the record of what is done, or of why it was refused. @throws PorticoError */
async function recorded<T extends Changed | undefined>(
  { audit, holder, clock }: ConfigWriterDeps,
  by: ConfigAuthor,
  name: ChangeName,
  work: () => Promise<T>,
): Promise<T> {
  const open = await audit.begin();
  const end = (changes: ServerChanges | null, error?: PorticoError) =>
    open.end(configChangeDraft(holder.state(), clock.epochMs(), by, { ...name, changes, error }));
  let done: T;
  try {
    done = await work();
  } catch (error) {
    const failure = toFailure(error);
    await end(null, failure);
    throw failure;
  }
  await end(done?.changes ?? null);
  return done;
}

type Servers = Pick<ConfigWriterDeps, 'pool' | 'known'>;

/** Stops and starts servers according to the configuration. Resolves when the removed servers have stopped. */
function applyServers(
  { pool, known }: Servers,
  { mounted, unmounted, updated }: ServerChanges,
  before: Config,
  { servers }: Config,
): Promise<unknown> {
  const gone = unmounted.map((id) => pool.unmount(id, drainMs));
  for (const [id, server] of servers) {
    if (mounted.includes(id)) pool.mount(id, server, known.get(id, server));
    if (updated.includes(id)) update({ pool, known }, id, before.servers.get(id), server);
  }
  return Promise.all(gone);
}

/** One whose lifecycle alone has changed goes on as it is, if it goes on at all. */
function update({ pool, known }: Servers, id: string, before: ServerConfig | undefined, server: ServerConfig): void {
  const upstream = pool.get(id);
  const isRunning = upstream !== undefined && upstream.info().status !== 'disabled';
  if (isRunning && before !== undefined && isSameButLifecycle(before, server)) {
    upstream.setLifecycle(server.lifecycle);
  } else {
    pool.replace(id, server, { graceMs: drainMs, known: known.get(id, server) });
  }
}

/** Servers that were given up are tried again when an operator reloads the file. */
function revive(
  { pool, known, holder }: Servers & Pick<ConfigWriterDeps, 'holder'>,
  changes: ServerChanges,
): ServerChanges {
  const { servers } = holder.state().config;
  const revived = changes.unchanged.filter((id) => pool.get(id)?.info().status === 'disabled');
  for (const id of revived) {
    const server = servers.get(id);
    if (server !== undefined) pool.replace(id, server, { known: known.get(id, server) });
  }
  const isRevived = (id: string) => revived.includes(id);
  return {
    ...changes,
    updated: [...changes.updated, ...revived].sort(),
    unchanged: changes.unchanged.filter((id) => !isRevived(id)),
  };
}

function toFailure(error: unknown): PorticoError {
  if (error instanceof PorticoError) return error;
  if (error instanceof InvalidConfig) return new PorticoError('INVALID_ARGS', describeIssues(error.issues));
  const reason = error instanceof Error ? error.message : String(error);
  return new PorticoError('INTERNAL_ERROR', `the configuration could not be changed: ${reason}`, { cause: error });
}
