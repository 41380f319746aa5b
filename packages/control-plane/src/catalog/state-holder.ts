// Holds the snapshot in force and is the only one that replaces it, and reports the change to the log and the listeners.
import { digestOf } from '@portico/canonical-json';
import { describeBounds } from '@portico/catalog-core';
import type { Config, SecretValues, ServerChanges, ServerTraits } from '@portico/contracts';
import type { Clock, ConnectionState, UpstreamListener } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import { inStage, type Stages } from '../common/stage.js';
import { isLockOn, type LoadedLock } from '../state/lock-verdicts.js';
import {
  type Change,
  type DefinitionsRead,
  holdByLock,
  initialState,
  loadLockInSteps,
  type PlaneState,
  recoverInSteps,
  reduce,
} from '../state/plane-state.js';
import { serverChanges } from '../state/server-changes.js';
import { isSeen } from '../state/visibility.js';
import { createWorkAhead, type WorkAhead, type WorkOutSteps } from '../state/work-ahead.js';
import type { KnownServers, ReadDefinitions } from './definitions/known-servers.js';
import type { CatalogFeed } from './feed/catalog-feed.js';
import type { ServerMessages } from './server-messages.js';
import type { Updates } from './updates.js';

export interface StateHolder {
  /** The snapshot in force. */
  state(): PlaneState;
  /**
   * Recovers the definitions of the servers that an earlier run stored, in turns of the event loop. Listeners are not
   * notified, since these were listed last. Call it before anything else changes.
   */
  recover(servers: ReadonlyMap<string, ReadDefinitions>): Promise<void>;
  /** Puts a configuration in force, and says what that means for the servers; they are not touched. */
  replaceConfig(config: Config): ServerChanges;
  /**
   * Puts the lock in force as it was read: one that cannot be used at once, any other once all servers are compared with
   * it, in turns of the event loop. Until then the lock before it is in force. Does nothing if the configuration names
   * another file by then, or none.
   * @param file as the configuration names it
   */
  loadLock(loaded: LoadedLock, file: string): Promise<void>;
  /** Receives the reports of the upstreams. */
  readonly upstreams: UpstreamListener;
}

export interface StateHolderDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly updates: Updates;
  readonly feed: Pick<CatalogFeed, 'note'>;
  readonly known: Pick<KnownServers, 'adopt' | 'note' | 'retain'>;
  readonly messages: ServerMessages;
  readonly stages: Stages;
  /** Values that records never hold. */
  readonly secrets?: SecretValues | undefined;
  /** Answers what servers ask outside of calls. */
  readonly onServerRequest: UpstreamListener['onServerRequest'];
}

export function createStateHolder(config: Config, deps: StateHolderDeps): StateHolder {
  const { clock, log, updates, feed, known, messages, stages, onServerRequest } = deps;
  let state = initialState(config, deps.secrets);
  const ahead = createWorkAhead(clock, stages, () => state);
  const returning = new Set<string>(); // servers that were lost and are not back yet

  /**
   * @param made gives the state after the change, where it was worked out before
   * @returns whether the catalog is another now
   */
  const change = (next: Change, made?: (from: PlaneState) => PlaneState): boolean => {
    const before = state.catalog;
    if (made !== undefined) state = made(state);
    else state = next.kind === 'definitions_read' ? ahead.reduce(state, next) : reduce(state, next);
    const { version, refusedAliases } = state.catalog;
    feed.note(state); // also of what is as it was in this run: an earlier one may have left something else
    if (version === before.version) return false;
    log('info', 'the catalog changed', { ...causeOf(next), catalog_version: version });
    if (refusedAliases.length > before.refusedAliases.length) {
      log('warn', 'aliases that equal an existing id are not in force', { aliases: refusedAliases });
    }
    return true;
  };

  /** Passes what is known of a server to a function that keeps it. */
  const handKnown = (server: string, read: ReadDefinitions, hand: KnownServers['note']) => {
    const [config, entries] = [state.config.servers.get(server), state.servers.get(server)];
    if (config !== undefined && entries !== undefined) hand(server, config, read, entries);
  };

  const readDefinitions = (next: DefinitionsRead, traits: ServerTraits) => {
    const { server, definitions } = next;
    if (!state.config.servers.has(server)) return; // it is being unmounted
    const before = state.catalog;
    const isNew = change(next);
    handKnown(server, { definitions, traits }, known.note);
    const isBack = returning.delete(server);
    if (isNew || isBack) updates.catalogChanged(before, state.catalog, [server]);
    if (isNew) reportLeftOut(server);
  };

  const putLock = (loaded: LoadedLock, made: (from: PlaneState) => PlaneState) => {
    const before = state.catalog;
    if (change({ kind: 'lock_loaded', loaded }, made)) updates.catalogChanged(before, state.catalog, []);
  };

  const reportLeftOut = (server: string) => {
    const { rejected = [], excess = [] } = state.servers.get(server) ?? {};
    if (rejected.length > 0) {
      log('warn', 'definitions left out: repeated or not valid', { server, ...shortened(rejected) });
    }
    if (excess.length === 0) return;
    log('warn', `resources left out: ${describeBounds(state.config.limits)}`, { server, ...shortened(excess) });
  };

  return {
    state: () => state,
    async recover(found) {
      const servers = await ahead.recover([...found].map(([id, { definitions }]) => [id, definitions]));
      const recovered = { kind: 'definitions_recovered', servers } as const;
      const steps: WorkOutSteps = (from, earlier) => recoverInSteps(from, recovered, earlier?.lock.servers);
      await ahead.workOut('making the catalog', 'of what was kept', steps, (made) => change(recovered, made));
      for (const [id, read] of found) handKnown(id, read, known.adopt);
    },
    replaceConfig(next) {
      const before = state;
      const changes = serverChanges(before.config.servers, next.servers);
      const { mounted, unmounted, updated } = changes;
      for (const id of [...unmounted, ...updated]) returning.delete(id); // the next session is of another server
      const isNew = change({ kind: 'config_replaced', config: next });
      known.retain(next);
      if (isNew || isOtherwise(before.config, next)) {
        updates.catalogChanged(before.catalog, state.catalog, [...mounted, ...unmounted, ...updated]);
      }
      return changes;
    },
    loadLock: (loaded, file) => loadLock({ ahead, state: () => state, put: putLock }, loaded, file),
    upstreams: {
      prepare: (server, definitions) => ahead.prepare({ kind: 'definitions_read', server, definitions }),
      onDefinitions: (server, definitions, traits) =>
        inStage(stages, 'taking up the definitions', server, () =>
          readDefinitions({ kind: 'definitions_read', server, definitions }, traits),
        ),
      onState(server, { status, ...rest }) {
        if (status === 'reconnecting' && state.config.servers.has(server)) returning.add(server);
        const level = isWell(status) ? 'info' : 'warn';
        log(level, `server is ${status}`, { server, ...reasonOf(rest) });
      },
      onLog: (server, line) => log('info', 'a server wrote to its log', { server, line }),
      onLogMessage: messages.publish,
      onServerRequest,
      onResourceUpdated(server, uri) {
        inStage(stages, 'notifying of a resource', server, () => {
          if (isSeen(state, 'resource', `${server}.${uri}`)) updates.resourceUpdated(server, uri);
        });
      },
    },
  };
}

interface LockLoading {
  readonly ahead: Pick<WorkAhead, 'workOut'>;
  readonly state: () => PlaneState;
  readonly put: (loaded: LoadedLock, made: (from: PlaneState) => PlaneState) => void;
}

async function loadLock({ ahead, state, put }: LockLoading, loaded: LoadedLock, file: string): Promise<void> {
  const isConfigured = () => isLockOn(state().config) && state().config.lock.file === file;
  if (loaded.fault !== undefined && isConfigured()) put(loaded, (from) => holdByLock(from, loaded));
  if (loaded.fault !== undefined && loaded.isMissing !== true) return;
  const steps: WorkOutSteps = (from, earlier) => loadLockInSteps(from, loaded, earlier?.lock.servers);
  await ahead.workOut('comparing with the lock', file, steps, (made) => {
    if (isConfigured()) put(loaded, made);
  });
}

/** The views of profiles, roles and MCP clients are not part of the catalog, but change with them. */
function isOtherwise(before: Config, after: Config): boolean {
  const viewersOf = ({ profiles, rbac, mcpExposure }: Config) =>
    digestOf([[...profiles], [...(rbac?.roles ?? [])], mcpExposure]);
  return viewersOf(before) !== viewersOf(after);
}

function isWell(status: ConnectionState['status']): boolean {
  return status === 'connected' || status === 'connecting' || status === 'idle';
}

function causeOf(change: Change): Readonly<Record<string, unknown>> {
  switch (change.kind) {
    case 'definitions_read':
      return { server: change.server };
    case 'definitions_recovered':
      return { reason: 'it was kept by an earlier run' };
    case 'config_replaced':
      return { reason: 'the configuration changed' };
    case 'lock_loaded':
      return { reason: 'the lock was read' };
  }
}

/** The first names, cut: a server chooses how many there are and how long they are. */
function shortened(names: readonly string[]): Readonly<Record<string, unknown>> {
  const rejected = names.slice(0, 10).map((name) => (name.length <= 100 ? name : `${name.slice(0, 100)}…`));
  return names.length === rejected.length ? { rejected } : { rejected, of: names.length };
}

function reasonOf(state: object): Readonly<Record<string, unknown>> {
  return 'lastError' in state ? { reason: state.lastError } : {};
}
