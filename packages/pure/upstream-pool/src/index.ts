// Warm sessions to upstream servers. This package decides when to connect, admit and give up; it never does I/O.
export { type AdmissionQueue, createAdmissionQueue, type PermitHolder, permitHolder } from './admission-queue.js';
export {
  type AdmittedCall,
  type Breaker,
  type BreakerSettings,
  type BreakerState,
  createBreaker,
} from './breaker.js';
export { canAnswer, canElicit, capabilityFor, withinDeclared } from './client-capabilities.js';
export { type Clock, sleepBy } from './clock.js';
export type { ConnectionState } from './connection.js';
export { countOf, type KnownServer } from './describe-upstream.js';
export type { FrameChannel, FrameMessage, FrameRecorder, FrameTap } from './frame-tap.js';
export { createManualClock, type ManualClock } from './manual-clock.js';
export {
  createMemoryConnector,
  type MemoryConnector,
  type MemoryServer,
  type MemoryServerControl,
} from './memory-connector.js';
export { createUpstreamPool, type ReplaceOptions, type UpstreamPool } from './pool.js';
export { retryDelayMs } from './restart-schedule.js';
export type { SendOutcome } from './send-outcome.js';
export { maxInFlight, type SendDeadline } from './sender.js';
export * from './session.js';
export {
  createDeadlines,
  type Deadline,
  DeadlinePassed,
  type Extension,
  type StartDeadline,
  startDeadline,
} from './signals.js';
export { sendTo, type Upstream, type UpstreamDeps, type UpstreamListener } from './upstream.js';
