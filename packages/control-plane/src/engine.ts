// Everything that executes, put together: what runs, waits for people, goes on as a task, and has more than one turn.
import type { JsonObject } from '@portico/contracts';
import { createRunOnce, type Ledger, type RunOnce } from '@portico/idempotency';
import type { UpstreamPool } from '@portico/upstream-pool';
import { type Approvals, createApprovals } from './approvals/approvals.js';
import { createGrants, type Grants } from './approvals/grants.js';
import { linksIn } from './approvals/links.js';
import { createBudgets } from './budgets/budgets.js';
import { createLoopBreaker } from './budgets/loop-breaker.js';
import type { Call, Outcome } from './call/call.js';
import { createOperations, type Operations } from './call/operations.js';
import { createPacer } from './call/pacer.js';
import { needsTask, type Target } from './call/target.js';
import { noStages } from './common/stage.js';
import { type Execution, execute } from './execution/execute.js';
import { runTicket, storedAnswer } from './execution/run-ticket.js';
import type { PendingRequest } from './execution/steps/converse.js';
import { prepare } from './execution/steps/prepare.js';
import { createArgumentValidator } from './execution/steps/validate-arguments.js';
import type { Inspecting } from './inspect/frame-owners.js';
import { createCountedTurns } from './interaction/counted-turns.js';
import { createInteraction } from './interaction/interaction.js';
import { createExecutionCounter, type ExecutionCounter } from './observability/metrics/count-executions.js';
import { noMetrics } from './observability/metrics/metrics.js';
import { createPeerCommands, type PeerCommands } from './peers/peer-commands.js';
import { noPeers } from './peers/peers.js';
import type { PlaneDeps } from './ports.js';
import type { Sampling } from './sampling/sampling.js';
import type { PlaneState } from './state/plane-state.js';
import { findTarget } from './state/target.js';
import { countWhatIsKept, createCountedLedger, createCountedTasks } from './tasks/counted-stores.js';
import { leaveWaiting } from './tasks/leave-waiting.js';
import { createTasks, type Tasks } from './tasks/tasks.js';
import { createKeptRoom } from './waiting/kept-room.js';

export interface Engine {
  /** As `ControlPlane.execute`. */
  execute(call: Call): Promise<Outcome>;
  readonly operations: Operations;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly execution: Execution;
  readonly tasks: Tasks;
  readonly counter: ExecutionCounter;
  /** Requests to other daemons. */
  readonly peerCommands: PeerCommands;
  /** Counts what the stores keep from before. */
  recoverRoom(): Promise<void>;
  /** @throws CallFailure INVALID_ARGS */
  readonly checkArguments: (target: Target, args: JsonObject) => void;
}

export interface EngineParts {
  readonly pool: UpstreamPool;
  readonly state: () => PlaneState;
  readonly sampling: Sampling;
  readonly inspecting: Inspecting;
}

export function createEngine(deps: PlaneDeps, { pool, state, sampling, inspecting }: EngineParts): Engine {
  const { clock, log, randomHex, ledger, tickets, audit, tracer, metrics = noMetrics, peers = noPeers } = deps;
  const { stages = noStages } = deps;
  const counter = createExecutionCounter(metrics, clock);
  const pacer = createPacer(clock);
  const validator = createArgumentValidator({
    onSkipped: (reason, capability) => {
      const [server = '', ...tool] = capability.split('.');
      log('warn', 'arguments are not checked in full', { server, tool: tool.join('.'), reason });
    },
    maxSteps: () => state().config.limits.validationSteps,
    stages,
  });
  const operations = createOperations(clock);
  const room = createKeptRoom(clock, () => state().config.limits.keptCharacters);
  const once = runOnceOf(deps, createCountedLedger(ledger, room), state);
  const approvals: Approvals = createApprovals({
    store: tickets,
    audit,
    clock,
    log,
    notify: deps.notifyApproval,
    linkOf: linksIn(deps, state),
    state,
    runCall: (ticket, signal) => runTicket(execution, tickets, state, ticket, signal),
    storedAnswer: (ticket) => storedAnswer(ledger, ticket, clock.epochMs()),
  });
  const sentArgs = (target: Target, args: JsonObject) => prepare(validator, state().config.servers, target, args).args;
  const grants = createGrants({ store: deps.grantStore, audit, clock, state, sentArgs, ticketOf: approvals.get });
  const interaction = createInteraction<PendingRequest>(clock, randomHex, () => state().config.limits);
  const loops = createLoopBreaker({ clock, log });
  const budgets = createBudgets({ store: deps.budgetAccounts, clock, log, randomHex });
  for (const { metric } of [grants, loops, budgets]) metrics.observe(metric);
  const execution: Execution = {
    log,
    clock,
    audit,
    operations,
    state,
    ...interaction,
    tracer,
    randomHex,
    count: counter.count,
    pool,
    validator,
    pacer,
    once,
    approvals,
    grants,
    sampling,
    inspecting,
    stages,
    digestKey: deps.digestKey ?? randomHex(64),
    loops,
    budgets,
    countedTurns: createCountedTurns(clock),
  };
  const peerCommands = createPeerCommands(peers, log);
  const tasks = createTasks({
    store: createCountedTasks(deps.tasks, room),
    room,
    clock,
    log,
    randomHex,
    state,
    peerCommands,
    execute: (call) => execute(execution, state(), call),
    goesOn: interaction.parked.goesOn,
    leaveWaiting: (run) => leaveWaiting({ ...interaction, audit, clock, log, state }, run),
  });
  const checkArguments = (target: Target, args: JsonObject) => void sentArgs(target, args);
  const recoverRoom = () => countWhatIsKept(deps, room, clock.epochMs());
  return {
    execute(call) {
      const snapshot = state();
      return mayBecomeTask(pool, snapshot, call) ? tasks.run(call, false) : execute(execution, snapshot, call);
    },
    operations,
    approvals,
    grants,
    execution,
    tasks,
    counter,
    peerCommands,
    checkArguments,
    recoverRoom,
  };
}

/** Whether its upstream may make a task of a call. Others are spared what a task needs. */
function mayBecomeTask(pool: UpstreamPool, state: PlaneState, { kind, id, client }: Call): boolean {
  // Only tools are run as tasks (MCP 2025-11-25, tasks; tasks extension of 2026-07-28).
  if (kind !== 'tool' || (client !== undefined && client.takesTasks !== true)) return false;
  const entry = state.catalog.findCapability(id);
  const server = entry?.server ?? findTarget(state, kind, id)?.server;
  if (server === undefined) return false;
  const isRequired = entry?.definition.execution !== undefined && needsTask(entry.definition);
  return isRequired || pool.get(server)?.traits?.hasTasks === true;
}

function runOnceOf({ clock, log }: PlaneDeps, ledger: Ledger, state: () => PlaneState): RunOnce {
  return createRunOnce({
    ledger,
    epochMs: clock.epochMs,
    ttlMs: () => state().config.idempotencyTtlSecs * 1000,
    onUncounted: (error, { firstTraceId }) =>
      log('error', 'a replay could not be counted', { first_trace_id: firstTraceId, error }),
  });
}
