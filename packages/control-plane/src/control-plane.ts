// The one in-process object that all facades share: a snapshot to read, one writer, and the life of a call.
import type { CatalogView } from '@portico/catalog-core';
import type {
  BatchCallResponse,
  CompletionData,
  Config,
  Envelope,
  SearchResponse,
  ServerInfo,
  ServerLogLine,
} from '@portico/contracts';
import { createUpstreamPool, type SendDeadline } from '@portico/upstream-pool';
import { type BatchCall, runBatch } from './batch.js';
import type { Call, CallKind } from './call.js';
import { type CompletionCall, complete } from './complete.js';
import { type Description, describe } from './describe.js';
import { type Execution, execute } from './execute.js';
import { createInFlight } from './in-flight.js';
import { type Change, initialState, type PlaneState, reduce } from './plane-state.js';
import type { PlaneDeps } from './ports.js';
import { type SearchRequest, searchCatalog } from './search-catalog.js';
import { resolveView } from './steps/resolve.js';
import { createArgumentValidator } from './validate-arguments.js';

export interface ControlPlane {
  /** Starts to connect to every configured server, in the background and side by side. Call it once. */
  start(): void;
  /** The snapshot in force. A request reads it once. */
  state(): PlaneState;
  /** What a profile sees. @throws CallFailure with the kind's not-found code for an unknown profile */
  view(profile: string | null, kind: CallKind): CatalogView;
  /** @throws CallFailure TOOL_NOT_FOUND */
  describe(profile: string | null, id: string): Description;
  /** @throws CallFailure TOOL_NOT_FOUND for an unknown profile */
  search(profile: string | null, request: SearchRequest): SearchResponse;
  /** The whole life of a tool call, resource read or prompt. Never rejects. */
  execute(call: Call): Promise<Envelope>;
  /** Runs steps in order, each a whole call. Never rejects. */
  executeBatch(batch: BatchCall): Promise<BatchCallResponse>;
  /** @throws CallFailure */
  complete(call: CompletionCall): Promise<CompletionData>;
  servers(): readonly ServerInfo[];
  /** The last 500 log lines of a server, or undefined when there is no such server. */
  serverLogs(id: string): readonly ServerLogLine[] | undefined;
  /** Waits for running calls for at most `graceMs`, then ends them, every session and every child process. */
  close(graceMs: number): Promise<void>;
}

/** Contacts nobody before `start`. */
export function createControlPlane(deps: PlaneDeps, config: Config): ControlPlane {
  const { clock, connector, log, randomHex } = deps;
  let state = initialState(config);

  const change = (next: Change) => {
    const before = state.catalog;
    state = reduce(state, next);
    if (state.catalog.version === before.version) return;
    log('info', 'the catalog changed', { server: next.server, catalog_version: state.catalog.version });
    if (state.catalog.refusedAliases.length > before.refusedAliases.length) {
      log('warn', 'aliases that equal an existing id are not in force', { aliases: state.catalog.refusedAliases });
    }
    const rejected = state.servers.get(next.server)?.rejected ?? [];
    if (rejected.length > 0)
      log('warn', 'definitions left out: repeated or not valid', { server: next.server, rejected });
  };

  const pool = createUpstreamPool(
    { connector, clock },
    {
      onDefinitions: (server, definitions) => change({ kind: 'definitions_read', server, definitions }),
      onState: (server, { status, ...rest }) =>
        log(status === 'connected' || status === 'connecting' ? 'info' : 'warn', `server is ${status}`, {
          server,
          ...reasonOf(rest),
        }),
      onLog: (server, line) => log('info', 'a server wrote to its log', { server, line }),
      onResourceUpdated: (server, uri) => log('debug', 'a resource was updated', { server, uri }),
    },
  );
  const validator = createArgumentValidator((reason) => log('warn', reason));
  const execution: Execution = { randomHex, log, pool, validator };
  const inFlight = createInFlight(clock);
  const underDeadline = <T>(caller: AbortSignal, work: (deadline: SendDeadline) => Promise<T>) =>
    inFlight.track(caller, state.config.toolTimeoutMs, work);

  const executeCall = (call: Call) =>
    underDeadline(call.signal, (deadline) => execute(execution, state, call, deadline));

  return {
    start() {
      for (const [id, server] of config.servers) pool.mount(id, server);
    },
    state: () => state,
    view: (profile, kind) => resolveView(state, profile, kind),
    describe: (profile, id) => describe(state, profile, id),
    search: (profile, request) => searchCatalog(state, profile, request),
    execute: executeCall,
    executeBatch: (batch) => runBatch({ execute: executeCall, now: clock.now }, batch),
    complete: (call) => underDeadline(call.signal, (deadline) => complete(execution, state, call, deadline)),
    servers: () => pool.list().map((upstream) => upstream.info()),
    serverLogs: (id) => pool.get(id)?.logs(),
    async close(graceMs) {
      await inFlight.drain(graceMs);
      await pool.close();
    },
  };
}

function reasonOf(state: object): Readonly<Record<string, unknown>> {
  return 'lastError' in state ? { reason: state.lastError } : {};
}
