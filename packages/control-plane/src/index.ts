// The shared in-process state of Portico and the life of a call. Facades receive the plane; nothing is global.
export type { ApprovalQuery, Decision, Desk } from './approvals/desk.js';
export type { Ticket, TicketDraft, TicketKey, TicketRef, TicketRun } from './approvals/ticket.js';
export {
  createMemoryTicketStore,
  type SettledStatus,
  type TicketQuery,
  type TicketStore,
} from './approvals/ticket-store.js';
export {
  type AuditEvent,
  type AuditEventType,
  type AuditSink,
  type AuditStatus,
  createMemoryAudit,
  type MemoryAudit,
} from './audit.js';
export type { BatchCall } from './batch.js';
export { type Call, type Caller, CallFailure, type CallKind, type Outcome } from './call.js';
export type { CompletionCall } from './complete.js';
export { type ControlPlane, createControlPlane } from './control-plane.js';
export type { Description } from './describe.js';
export { createMemoryStores, type MemoryStores } from './memory-stores.js';
export type { PlaneState } from './plane-state.js';
export type { Log, LogLevel, NotifyApproval, PlaneDeps } from './ports.js';
export type { SearchRequest } from './search-catalog.js';
export type { UpdateEvent, UpdateListener } from './updates.js';
