// A control plane over servers that live in the test, on a clock that the test moves. For tests of this package only.
import { type ApprovalNotice, type Config, type JsonObject, resolveConfig } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { createManualClock, createMemoryConnector, type MemoryServer } from '@portico/upstream-pool';
import { type Call, type Caller, operator } from '../call/call.js';
import { createControlPlane } from '../control-plane.js';
import { createMemoryStores, type MemoryStores } from '../memory-stores.js';
import { createMemoryMetrics } from '../observability/metrics/metrics.js';
import type { PlaneDeps } from '../ports.js';

export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
export const correlation = { requestId: null, traceId };
export const caller: Caller = { ...operator, profile: null };

export const everything: Viewer = { profile: null, role: null };
export const inProfile = (profile: string | null): Viewer => ({ profile, role: null });

/** Timers of an idle plane: the next purge. */
export const idleTimers = 1;

/** The clock of stores that two planes share. */
export const stopped = { epochMs: () => 0 };

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** The input of a test for a call; the rest has the values above. */
export type CallInput = Partial<Omit<Call, 'caller'>> & Pick<Call, 'kind' | 'id'> & Partial<Call['caller']>;

export function toCall({ principal, profile, role, actor, ...input }: CallInput): Call {
  return {
    args: {},
    correlation,
    caller: {
      principal: principal ?? caller.principal,
      profile: profile ?? caller.profile,
      role: role ?? caller.role,
      actor: actor ?? caller.actor,
    },
    signal: new AbortController().signal,
    idempotencyKey: null,
    approvalWaitMs: 0,
    ...input,
  };
}

export function configOf(file: object): Config {
  const resolved = resolveConfig(file);
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.issues));
  return resolved.value;
}

/** Durable stores, and an embedder, a provider or peers if a test has them. */
export type PlaneStores = MemoryStores &
  Pick<PlaneDeps, 'embedder' | 'loadModel' | 'peers' | 'sampleMessages' | 'stages'>;

/** Starts a plane; every server has `command` as its transport unless the file says otherwise. */
export function startPlane(
  servers: Readonly<Record<string, MemoryServer>>,
  file: object = {},
  stores: PlaneStores = createMemoryStores(stopped),
) {
  const mcpServers = Object.fromEntries(Object.keys(servers).map((id) => [id, { command: 'node' }]));
  const clock = createManualClock();
  const connector = createMemoryConnector(servers);
  const log: LogLine[] = [];
  const notices: ApprovalNotice[] = [];
  const metrics = createMemoryMetrics();
  const plane = createControlPlane(
    {
      connector,
      clock,
      randomHex: (characters) => 'b7'.repeat(characters / 2),
      log: (level, message, fields) => log.push({ level, message, fields }),
      ...stores,
      notifyApproval: (_webhook, notice) => notices.push(notice),
      metrics,
    },
    configOf({ mcpServers, ...file }),
  );
  plane.start();
  return {
    plane,
    clock,
    log,
    notices,
    metrics,
    ...stores,
    server: connector.server,
    execute: async (input: CallInput) => (await plane.execute(toCall(input))).envelope,
    outcome: (input: CallInput) => plane.execute(toCall(input)),
  };
}

/** As `startPlane`, with every server connected that can be. */
export async function connectPlane(
  servers: Readonly<Record<string, MemoryServer>>,
  file: object = {},
  stores: PlaneStores = createMemoryStores(stopped),
) {
  const started = startPlane(servers, file, stores);
  await started.clock.advance(0);
  return started;
}

export function tool(name: string, more: object = {}) {
  return { name, inputSchema: { type: 'object' } as JsonObject, ...more };
}

export const hang = () => new Promise<never>(() => {});
