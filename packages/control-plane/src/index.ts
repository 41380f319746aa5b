// The shared in-process state of Portico and the life of a call. Facades receive the plane; nothing is global.
export type { BatchCall } from './batch.js';
export { type Call, CallFailure, type CallKind } from './call.js';
export type { CompletionCall } from './complete.js';
export { type ControlPlane, createControlPlane } from './control-plane.js';
export type { Description } from './describe.js';
export type { PlaneState } from './plane-state.js';
export type { Log, LogLevel, PlaneDeps } from './ports.js';
export type { SearchRequest } from './search-catalog.js';
export { createArgumentValidator } from './validate-arguments.js';
