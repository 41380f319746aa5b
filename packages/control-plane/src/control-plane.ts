// The one in-process object that all facades share: a snapshot to read, one writer, and the life of a call.
import type { CatalogView } from '@portico/catalog-core';
import type {
  Activity,
  BatchCallResponse,
  CompletionData,
  Config,
  JsonObject,
  SearchAnswer,
  ServerInfo,
  ServerLogLine,
} from '@portico/contracts';
import type { Redactor, Viewer } from '@portico/policy-engine';
import { createUpstreamPool, type UpstreamDeps, type UpstreamPool } from '@portico/upstream-pool';
import { createStreamCount, type OpenStream } from './access/streams.js';
import { type ApprovalService, type ApprovalServiceDeps, createApprovalService } from './approvals/approval-service.js';
import { createGrantService, type GrantService } from './approvals/grant-service.js';
import type { GrantStore } from './approvals/grant-store.js';
import { consoleOriginIn } from './approvals/links.js';
import { createNoticeService, type NoticeService, noNotices } from './approvals/notice-service.js';
import type { AuditLog } from './audit/audit-log.js';
import { createRecentCalls, type RecentCalls } from './audit/recent-calls.js';
import { createRefusedAccess, type RefusedRequest } from './audit/refused-access.js';
import { type BudgetService, createBudgetService } from './budgets/budget-service.js';
import type { BatchCall } from './call/batch.js';
import type { Call, Caller, CallKind, Outcome } from './call/call.js';
import type { Operations } from './call/operations.js';
import { createPacer } from './call/pacer.js';
import { createFirstReadings, type FirstReadings } from './catalog/definitions/first-readings.js';
import { createKnownServers } from './catalog/definitions/known-servers.js';
import { createCatalogFeed, type FeedPage } from './catalog/feed/catalog-feed.js';
import { createServerMessages } from './catalog/server-messages.js';
import { createStateHolder, type StateHolder, type StateHolderDeps } from './catalog/state-holder.js';
import { createUpdates, type UpdateListener } from './catalog/updates.js';
import { noStages } from './common/stage.js';
import { type ClientService, createClientService } from './configuration/clients/client-service.js';
import { createMemoryAiClients } from './configuration/clients/memory-ai-clients.js';
import { createFixedConfigSource } from './configuration/config-source.js';
import { type Configuration, createConfiguration } from './configuration/configuration.js';
import { createEngine, type Engine } from './engine.js';
import { type CompletionCall, complete } from './execution/complete.js';
import type { Execution } from './execution/execute.js';
import { executeBatch } from './execution/execute-batch.js';
import { createRecordReads, type RecordReads } from './execution/idempotency-records.js';
import { watchResource } from './execution/watch-resource.js';
import type { Inspecting } from './inspect/frame-owners.js';
import { createInspector, type Inspector } from './inspect/inspector.js';
import { observeInspector } from './inspect/inspector-metrics.js';
import { noteRefused, type RefusalDeps } from './interaction/note-refused.js';
import { createDriftReport } from './lock/drift-report.js';
import { observeLock } from './lock/lock-metrics.js';
import { createLockService, type LockService } from './lock/lock-service.js';
import type { CallSeries } from './observability/metrics/call-series.js';
import { noMetrics } from './observability/metrics/metrics.js';
import { observePlane } from './observability/metrics/plane-metrics.js';
import { createPolicyService, type PolicyService } from './policy/policy-service.js';
import type { PlaneDeps } from './ports.js';
import { type Asking, answerOutside } from './sampling/answer-server-request.js';
import { createSampling, type Sampling } from './sampling/sampling.js';
import { createSamplingService, type SamplingService } from './sampling/sampling-service.js';
import type { SearchRequest } from './search/search-catalog.js';
import { createSemanticSearch } from './search/semantic/semantic-search.js';
import { createSharing } from './sharing.js';
import { startPurging } from './start-purging.js';
import { type Description, describe } from './state/describe.js';
import { rulesOf } from './state/lock-verdicts.js';
import type { PlaneState } from './state/plane-state.js';
import { resolveView } from './state/target.js';
import type { Tasks } from './tasks/tasks.js';
import { createTraceService, type TraceDeps, type TraceService } from './traces/trace-service.js';

export interface ControlPlane extends RecordReads {
  /** Closes the open work of stopped processes, and records it. Call it once, before anything else. */
  recover(): Promise<void>;
  /** Starts to connect to every configured server, in the background and side by side. Call it once. */
  start(): void;
  /** Resolves when every server that is configured now has been tried once, successfully or not. */
  attempted(): Promise<void>;
  /** Waits for servers without known definitions; see `FirstReadings`. */
  readonly untilKnown: FirstReadings['wait'];
  /** The snapshot in force. A request reads it once. */
  state(): PlaneState;
  /** The catalog as a viewer sees it. @throws CallFailure with the kind's not-found code for an unknown profile */
  view(viewer: Viewer, kind: CallKind): CatalogView;
  /** @throws CallFailure TOOL_NOT_FOUND */
  describe(viewer: Viewer, id: string): Description;
  /** Rejects with CallFailure TOOL_NOT_FOUND for an unknown profile. Takes no time unless an embedder is asked. */
  search(viewer: Viewer, request: SearchRequest): Promise<SearchAnswer>;
  /** The whole life of a tool call, resource read or prompt. Never rejects. */
  execute(call: Call): Promise<Outcome>;
  /** Runs steps in order, each a whole call. @throws CallFailure INVALID_ARGS when its request id is in use */
  executeBatch(batch: BatchCall): Promise<BatchCallResponse>;
  /** @throws CallFailure */
  complete(call: CompletionCall): Promise<CompletionData>;
  /** Ends what a principal has in flight or waiting for approval under a request id. Whether there was anything. */
  cancel(principal: string, requestId: string): Promise<boolean>;
  /** Calls that go on without their callers. */
  readonly tasks: Omit<Tasks, 'recover' | 'close' | 'cancelWaiting'>;
  /** Where people see and decide what waits for them. */
  readonly approvals: ApprovalService;
  /** The receivers of notices of tickets. */
  readonly notices: NoticeService;
  /** Where messages of a model are asked for, and given. */
  readonly sampling: SamplingService;
  /** AI clients of this machine, and Portico's entry in their files. */
  readonly clients: ClientService;
  /** Reads of the audit log. */
  readonly audit: AuditReads;
  /** Time of the clock that records are dated by, in milliseconds since the Unix epoch. */
  epochMs(): number;
  /** Explanations of past calls. */
  readonly traces: TraceService;
  /** The messages between Portico and its servers. */
  readonly inspector: Inspector;
  /** Leaves the record of a request that was refused before it reached anything here. */
  accessRefused(request: RefusedRequest): Promise<void>;
  /** Changes of the configuration by operators. */
  readonly configuration: Configuration;
  /** The accepted definitions of tools, and differences from them. */
  readonly lock: Pick<LockService, 'status' | 'drift' | 'accept' | 'verify' | 'mustBeUsable'>;
  /** Approvals that are kept for later calls. */
  readonly grants: GrantService;
  /** Budgets, and how far they are used. */
  readonly budgets: BudgetService;
  /** The effect of rules, before and after they are written. */
  readonly policy: PolicyService;
  /** The events after a cursor of the change feed; see `CatalogFeed.read`. */
  catalogEvents(after: string | undefined): FeedPage;
  /** Counts since the start. */
  activity(): Activity;
  /** The last calls of this daemon. */
  readonly recentCalls: RecentCalls;
  /** Calls over the last hour and the last day. */
  readonly callSeries: Pick<CallSeries, 'read'>;
  /** Notes that a list or detail of the catalog was asked for. */
  catalogAsked(isUnchanged: boolean): void;
  /** Receives changes; see `Updates.subscribe`. */
  onUpdate(listener: UpdateListener, lastId?: string): () => void;
  /** Counts a stream of changes of a caller; see `OpenStream`. */
  readonly openStream: OpenStream;
  /**
   * Subscribes to changes of a resource at its upstream while there are watchers; `resource_updated` arrives through
   * `onUpdate`. Resolves with the function that ends it. @throws CallFailure RESOURCE_NOT_FOUND, POLICY_DENIED
   */
  watchResource(caller: Caller, id: string): Promise<() => void>;
  /**
   * Receives log messages of servers outside of calls: the params of `notifications/message`. Returns the function that
   * ends it.
   */
  onServerMessage(listener: (server: string, message: JsonObject) => void): () => void;
  servers(): readonly ServerInfo[];
  /** Makes new links of the logins that are awaited, where their time ran out. For a person who is about to look at them. */
  renewLogins(): void;
  /** The last 500 log lines of a server, or undefined when there is no such server. */
  serverLogs(id: string): readonly ServerLogLine[] | undefined;
  /** Waits for running calls for at most `graceMs`, then ends them, every session and every child process. */
  close(graceMs: number): Promise<void>;
}

/** The reads of the audit log that facades may use. */
export type AuditReads = Pick<
  AuditLog,
  'isVolatile' | 'list' | 'get' | 'stats' | 'series' | 'usage' | 'verify' | 'records' | 'checkpoints'
>;

/** Contacts no server before `start`. */
export function createControlPlane(deps: PlaneDeps, config: Config): ControlPlane {
  const { clock, connector, log, ledger, audit, randomHex, secrets } = deps;
  const { metrics = noMetrics, aiClients = createMemoryAiClients(), stages = noStages } = deps;
  const updates = createUpdates(clock);
  const feed = createCatalogFeed({ store: deps.feed, clock, log, randomHex });
  const messages = createServerMessages();
  const semantic = createSemanticSearch({ ...deps, metrics });
  const known = createKnownServers({ store: deps.definitions, log });
  const onServerRequest = answerOutside((server) => outside({ pool, log, state, sampling }, server));
  const around = { clock, log, updates, known, messages, stages, onServerRequest, secrets };
  const { holder, lock } = openState(deps, config, around, [feed, semantic]);
  const { state, upstreams } = holder;
  const pool = createUpstreamPool({ connector, clock, ...poolRulesIn(state) }, upstreams);
  const firstReadings = createFirstReadings({ clock, state, pool, kept: known.kept });
  const sampling: Sampling = createSampling(deps, state);
  const { inspector, inspecting, onConfigured } = openInspector(deps, config, state, lock.configured);
  const engine = createEngine(deps, { pool, state, sampling, inspecting });
  const { operations, approvals, execution, tasks } = engine;
  const source = deps.configSource ?? createFixedConfigSource(config);
  const configuration = createConfiguration({ ...deps, onConfigured, stages, source, holder, known, pool, aiClients });
  const servers = () => pool.list().map((upstream) => upstream.info());
  const { shadowTotals } = engine.counter.ruleHits;
  const catalog = () => state().catalog;
  observePlane(metrics, { servers, pendingApprovals: approvals.pendingCount, catalog, shadowTotals });
  const refusedAccess = createRefusedAccess({ audit, clock, log, redactText: redactTextBy(state) });
  const sharing = createSharing(deps, engine, sampling, state);
  let stopPurging = () => {};

  return {
    async recover() {
      const claimed = sharing.claim().then(engine.recoverRoom); // what was cut off is closed by then, and counted
      const [kept] = await Promise.all([known.recover(config), feed.recover(), claimed]);
      await lock.load().then(() => holder.recover(kept)); // what was kept is compared before it is listed
    },
    start() {
      configuration.start();
      firstReadings.start();
      sharing.start();
      stopPurging = startPurging({ ...deps, semantic });
    },
    ...waitsFor(pool, firstReadings),
    state,
    view: (viewer, kind) => resolveView(state(), viewer, kind),
    describe: (viewer, id) => describe(state(), viewer, id),
    search: (viewer, request) => semantic.search(state(), viewer, request),
    execute: engine.execute,
    tasks,
    audit,
    configuration,
    ...countsOf(deps, engine, inspector),
    executeBatch: (batch) => executeBatch(execution, state, batch),
    complete: (call) => completeWithin(operations, execution, state(), call),
    cancel: sharing.cancel,
    ...readings({ ...engine, audit, state, servers, lock, grantStore: deps.grantStore }),
    ...forPeople(deps, sampling, state),
    clients: createClientService({ aiClients, placement: configuration.placement, audit, clock }, state),
    accessRefused: refusedAccess.add,
    ...createRecordReads(ledger, state, clock.epochMs),
    catalogEvents: feed.read,
    activity: () => ({ ...engine.counter.activity(), approvals_pending: approvals.pendingCount() }),
    onUpdate: updates.subscribe,
    openStream: createStreamCount(() => state().config.limits.streams),
    watchResource: (caller, id) => watchResource(execution, state(), caller, id),
    onServerMessage: messages.subscribe,
    servers,
    renewLogins: () => renewAllLogins(pool),
    serverLogs: (id) => redactLines(redactorOf(state), pool.get(id)?.logs()),
    async close(graceMs) {
      stopPurging();
      firstReadings.close();
      await Promise.all([sharing.stopClaiming(), configuration.close()]);
      const decided = Promise.all([approvals.close(), sampling.close()]);
      const parked = execution.parked.close();
      await operations.drain(graceMs);
      await Promise.all([decided, parked]);
      await execution.parked.close(); // what was parked while the rest was waited for
      await tasks.close();
      sharing.stopServing(); // until here, what runs can be cancelled from elsewhere
      await Promise.all([refusedAccess.close(), lock.close()]);
      updates.close();
      await pool.close();
      await Promise.all([feed.close(), known.kept(), execution.budgets.close()]);
      await semantic.close();
    },
  };
}

interface Read extends ApprovalServiceDeps, Pick<TraceDeps, 'servers'>, Pick<Engine, 'execution' | 'counter'> {
  readonly lock: LockService;
  readonly grantStore: GrantStore;
}

/** Tickets as people see them, explanations of calls, and the effect of rules. */
function readings(on: Read): Pick<ControlPlane, 'approvals' | 'grants' | 'traces' | 'policy' | 'lock' | 'epochMs'> {
  const approvals = createApprovalService(on);
  const { validator, clock } = on.execution;
  const epochMs = () => clock.epochMs();
  const grants = createGrantService({ store: on.grantStore, grants: on.grants, epochMs, state: on.state });
  const policy = createPolicyService({
    ...on,
    validator,
    ruleHits: on.counter.ruleHits,
    pacer: createPacer(clock),
    epochMs,
  });
  return { approvals, grants, traces: createTraceService({ ...on, approvals }), policy, lock: on.lock, epochMs };
}

/** The wire log as configured, counted. */
function openInspector(
  { metrics = noMetrics, connector, ...deps }: PlaneDeps,
  config: Config,
  state: () => PlaneState,
  onLockConfigured: () => void,
) {
  const inspecting: Inspecting = { owners: undefined };
  const { frameTap } = connector;
  const inspector = createInspector({ ...deps, frameTap, policy: () => state().policy, inspecting });
  observeInspector(metrics, () => inspector.counts());
  inspector.configure(config);
  const onConfigured = (next: Config) => {
    inspector.configure(next);
    onLockConfigured();
    deps.onConfigured?.(next);
  };
  return { inspector, inspecting, onConfigured };
}

/** Where people answer, and are called. */
function forPeople(
  deps: PlaneDeps,
  sampling: Sampling,
  state: () => PlaneState,
): Pick<ControlPlane, 'notices' | 'sampling' | 'budgets'> {
  const notices = createNoticeService(deps.notices ?? noNotices, state, consoleOriginIn(deps, state));
  const budgets = createBudgetService({ ...deps, store: deps.budgetAccounts }, state);
  return { notices, sampling: createSamplingService(sampling, state), budgets };
}

interface Outside extends RefusalDeps {
  readonly state: () => PlaneState;
  readonly sampling: Sampling;
}

/** The dependencies for answering questions that servers ask outside of calls. */
function outside({ state, sampling, ...on }: Outside, server: string): Omit<Asking, 'serverId' | 'call'> {
  const onRefused: Asking['onRefused'] = (question, reason) => noteRefused(on, server, question, reason);
  return { sampling, config: state().config, onRefused };
}

/** Passes the next snapshot to each of them. */
function noteIn(...noting: readonly { note(next: PlaneState): void }[]): (next: PlaneState) => void {
  return (next) => {
    for (const each of noting) each.note(next);
  };
}

/** After which servers are tried again that were given up on, as configured at each moment. */
function retriesIn(state: () => PlaneState): Pick<UpstreamDeps, 'retryGivenUpMs'> {
  return { retryGivenUpMs: () => state().config.supervisor.retryGivenUpSecs * 1000 };
}

/** The state, with the lock that it is compared with. @param noting receive each state */
function openState(
  deps: PlaneDeps,
  config: Config,
  around: Omit<StateHolderDeps, 'feed'>,
  noting: readonly { note(next: PlaneState): void }[],
): { readonly holder: StateHolder; readonly lock: LockService } {
  const drifts = createDriftReport(deps);
  const holder = createStateHolder(config, { ...around, feed: { note: noteIn(...noting, drifts) } });
  observeLock(deps.metrics ?? noMetrics, holder.state, drifts);
  return { holder, lock: createLockService({ ...deps, holder }) };
}

/** The pool's settings from the configuration in force. */
function poolRulesIn(state: () => PlaneState): Omit<UpstreamDeps, 'connector' | 'clock'> {
  return { ...sharesIn(state), ...retriesIn(state), ...holdingIn(state) };
}

/** Whether calls wait for the changed lists of a server: what it may not list any more is not to be run. */
function holdingIn(state: () => PlaneState): Pick<UpstreamDeps, 'holdsWhileListing'> {
  return { holdsWhileListing: (id) => rulesOf(state().config, id).mode === 'enforce' };
}

/** How principals share the places and the queue of each server, as configured at each moment. */
function sharesIn(state: () => PlaneState): Pick<UpstreamDeps, 'maxQueued' | 'isShared'> {
  return { maxQueued: () => state().config.limits.queuedCalls, isShared: () => state().config.rbac !== null };
}

function countsOf(
  deps: PlaneDeps,
  { counter }: Pick<Engine, 'counter'>,
  inspector: Inspector,
): Pick<ControlPlane, 'recentCalls' | 'callSeries' | 'catalogAsked' | 'inspector'> {
  return {
    inspector,
    recentCalls: createRecentCalls(deps),
    callSeries: counter.series,
    catalogAsked: counter.catalogAsked,
  };
}

function waitsFor(pool: UpstreamPool, firstReadings: FirstReadings): Pick<ControlPlane, 'attempted' | 'untilKnown'> {
  return {
    attempted: () => Promise.all(pool.list().map((upstream) => upstream.attempted)).then(() => {}),
    untilKnown: firstReadings.wait,
  };
}

function completeWithin(
  operations: Operations,
  execution: Execution,
  state: PlaneState,
  call: CompletionCall,
): Promise<CompletionData> {
  const { caller, signal } = call;
  return operations.run(anonymous(caller.principal), state.config.toolTimeoutMs, signal, (deadline) =>
    complete(execution, state, call, deadline),
  );
}

/** An operation with a deadline that is neither cancelled by id nor repeated. */
function anonymous(principal: string) {
  return { principal, requestId: null, key: null, isKeyGiven: false };
}

function renewAllLogins(pool: UpstreamPool): void {
  for (const upstream of pool.list()) upstream.renewLogin();
}

function redactorOf(state: () => PlaneState): Redactor {
  return state().policy.redactor;
}

/** By the rules as they are then. */
function redactTextBy(state: () => PlaneState): (text: string) => string {
  return (text) => redactorOf(state).redactText(text);
}

function redactLines({ redactText }: Redactor, lines: readonly ServerLogLine[] | undefined) {
  return lines?.map(({ timestamp, text }) => ({ timestamp, text: redactText(text) }));
}
