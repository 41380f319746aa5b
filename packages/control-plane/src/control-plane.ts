// The one in-process object that all facades share: a snapshot to read, one writer, and the life of a call.
import type { CatalogView } from '@portico/catalog-core';
import type {
  BatchCallResponse,
  CompletionData,
  Config,
  IdempotencyRecord,
  SearchResponse,
  ServerInfo,
  ServerLogLine,
} from '@portico/contracts';
import { createRunOnce, type RecordPage } from '@portico/idempotency';
import type { Redactor } from '@portico/policy-engine';
import { createUpstreamPool } from '@portico/upstream-pool';
import { type Approvals, createApprovals } from './approvals/approvals.js';
import { createDesk, type Desk } from './approvals/desk.js';
import type { AuditLog } from './audit/audit-log.js';
import { createRefusedAccess, type RefusedRequest } from './audit/refused-access.js';
import type { BatchCall } from './batch.js';
import type { Call, CallKind, Outcome } from './call.js';
import { type CompletionCall, complete } from './complete.js';
import { type Description, describe } from './describe.js';
import { type Execution, execute } from './execute.js';
import { executeBatch } from './execute-batch.js';
import { toIdempotencyRecord } from './idempotency-records.js';
import { createExecutionCounter } from './metrics/count-executions.js';
import { noMetrics } from './metrics/metrics.js';
import { observePlane } from './metrics/plane-metrics.js';
import { createOperations } from './operations.js';
import { readPage } from './page.js';
import type { PlaneState } from './plane-state.js';
import type { PlaneDeps } from './ports.js';
import { recover } from './recover.js';
import { runTicket, storedAnswer } from './run-ticket.js';
import { type SearchRequest, searchCatalog } from './search-catalog.js';
import { startPurging } from './start-purging.js';
import { createStateHolder } from './state-holder.js';
import { resolveView } from './steps/resolve.js';
import { createUpdates, type UpdateListener } from './updates.js';
import { createArgumentValidator } from './validate-arguments.js';

export interface ControlPlane {
  /** Closes what an earlier run of the service left open, and records it. Call it once, before anything else. */
  recover(): Promise<void>;
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
  execute(call: Call): Promise<Outcome>;
  /** Runs steps in order, each a whole call. @throws CallFailure INVALID_ARGS when its request id is in use */
  executeBatch(batch: BatchCall): Promise<BatchCallResponse>;
  /** @throws CallFailure */
  complete(call: CompletionCall): Promise<CompletionData>;
  /** Ends what a principal has in flight or waiting for approval under a request id. Whether there was anything. */
  cancel(principal: string, requestId: string): Promise<boolean>;
  /** Where people see and decide what waits for them. */
  readonly approvals: Desk;
  /** What was recorded. */
  readonly audit: AuditReads;
  /** Leaves the record of a request that was refused before it reached anything here. */
  accessRefused(request: RefusedRequest): Promise<void>;
  /** A principal's executions with a key, newest first; fewer than asked for where they are large. */
  records(principal: string, page: RecordPage): Promise<readonly IdempotencyRecord[]>;
  record(principal: string, key: string): Promise<IdempotencyRecord | undefined>;
  /** Hears of changes; see `Updates.subscribe`. */
  onUpdate(listener: UpdateListener, lastId?: string): () => void;
  servers(): readonly ServerInfo[];
  /** The last 500 log lines of a server, or undefined when there is no such server. */
  serverLogs(id: string): readonly ServerLogLine[] | undefined;
  /** Waits for running calls for at most `graceMs`, then ends them, every session and every child process. */
  close(graceMs: number): Promise<void>;
}

/** What facades may ask of the audit log. */
export type AuditReads = Pick<AuditLog, 'list' | 'get' | 'stats' | 'verify' | 'records'>;

/** Contacts nobody before `start`. */
export function createControlPlane(deps: PlaneDeps, config: Config): ControlPlane {
  const { clock, connector, log, randomHex, ledger, tickets, audit, tracer, metrics = noMetrics } = deps;
  const updates = createUpdates(clock);
  const { state, upstreams } = createStateHolder(config, log, updates);
  const pool = createUpstreamPool({ connector, clock }, upstreams);
  const validator = createArgumentValidator((reason) => log('warn', reason));
  const operations = createOperations(clock);
  const ttlMs = () => state().config.idempotencyTtlSecs * 1000;
  const once = createRunOnce({
    ledger,
    epochMs: clock.epochMs,
    ttlMs,
    onUncounted: (error, { firstTraceId }) =>
      log('error', 'a replay could not be counted', { first_trace_id: firstTraceId, error }),
  });
  const approvals: Approvals = createApprovals({
    store: tickets,
    audit,
    clock,
    log,
    notify: deps.notifyApproval,
    state,
    runCall: (ticket, signal) => runTicket(execution, tickets, state, ticket, signal),
    storedAnswer: (ticket) => storedAnswer(ledger, ticket, clock.epochMs()),
  });
  const count = createExecutionCounter(metrics);
  const recording = { log, clock, audit, operations };
  const execution: Execution = { ...recording, tracer, randomHex, count, pool, validator, once, approvals };
  const servers = () => pool.list().map((upstream) => upstream.info());
  observePlane(metrics, { servers, pendingApprovals: approvals.pendingCount, catalog: () => state().catalog });
  const redactText = (text: string) => state().policy.redactor.redactText(text);
  const refusedAccess = createRefusedAccess({ audit, clock, log, redactText });
  let stopPurging = () => {};

  return {
    recover: () => recover(deps, state()),
    start() {
      for (const [id, server] of config.servers) pool.mount(id, server);
      approvals
        .start()
        .catch((error: unknown) => log('error', 'tickets of an earlier run are not taken up', { error }));
      stopPurging = startPurging({ ledger, tickets, clock, log });
    },
    state,
    view: (profile, kind) => resolveView(state(), profile, kind),
    describe: (profile, id) => describe(state(), profile, id),
    search: (profile, request) => searchCatalog(state(), profile, request),
    execute: (call) => execute(execution, state(), call),
    executeBatch: (batch) => executeBatch(execution, state, batch),
    complete: (call) =>
      operations.run(anonymous(call.caller.principal), state().config.toolTimeoutMs, call.signal, (deadline) =>
        complete(execution, state(), call, deadline),
      ),
    async cancel(principal, requestId) {
      const inFlight = operations.cancel(principal, requestId);
      return (await approvals.cancel(principal, requestId)) || inFlight;
    },
    approvals: createDesk(approvals, execution, state),
    audit,
    accessRefused: refusedAccess.add,
    async records(principal, page) {
      const nowMs = clock.epochMs();
      return readPage(page, async (part) =>
        (await ledger.list(principal, part, nowMs)).map((record) => toIdempotencyRecord(state(), record)),
      );
    },
    async record(principal, key) {
      const found = await ledger.get(principal, key, clock.epochMs());
      return found && toIdempotencyRecord(state(), found);
    },
    onUpdate: updates.subscribe,
    servers,
    serverLogs: (id) => redactLines(state().policy.redactor, pool.get(id)?.logs()),
    async close(graceMs) {
      stopPurging();
      const decided = approvals.close();
      await operations.drain(graceMs);
      await decided;
      await refusedAccess.close();
      updates.close();
      await pool.close();
    },
  };
}

/** What has a deadline but is neither cancelled by id nor repeated. */
function anonymous(principal: string) {
  return { principal, requestId: null, key: null, isKeyGiven: false };
}

function redactLines({ redactText }: Redactor, lines: readonly ServerLogLine[] | undefined) {
  return lines?.map(({ timestamp, text }) => ({ timestamp, text: redactText(text) }));
}
