// The life of a call, top to bottom: record, resolve, prepare, invoke, distill, envelope.
import type { Correlation, Envelope, JsonObject } from '@portico/contracts';
import type { SendDeadline, UpstreamPool } from '@portico/upstream-pool';
import type { Call } from './call.js';
import type { PlaneState } from './plane-state.js';
import type { PlaneDeps } from './ports.js';
import { distill } from './steps/distill.js';
import { invoke } from './steps/invoke.js';
import { prepare } from './steps/prepare.js';
import { record } from './steps/record.js';
import { resolve } from './steps/resolve.js';
import type { ArgumentValidator } from './validate-arguments.js';

export interface Execution extends Pick<PlaneDeps, 'randomHex' | 'log'> {
  readonly pool: UpstreamPool;
  readonly validator: ArgumentValidator;
}

/** Runs a tool call, resource read or prompt on one snapshot of the state. Never rejects. */
export function execute(on: Execution, state: PlaneState, call: Call, deadline: SendDeadline): Promise<Envelope> {
  return record(on.log, call.correlation, async () => {
    const target = resolve(state, call.profile, call.kind, call.id);
    const { request, modifiers } = prepare(on.validator, target, call.args, traceMeta(on.randomHex, call.correlation));
    return distill(await invoke(on.pool, target, request, deadline), modifiers);
  });
}

/** W3C trace context for the upstream, under the bare key that MCP gives it. */
export function traceMeta(randomHex: PlaneDeps['randomHex'], { traceId }: Correlation): JsonObject {
  return { traceparent: `00-${traceId}-${randomHex(16)}-01` };
}
