// The shared in-process state of Portico and the life of a call. Facades receive the plane; nothing is global.
export {
  type Authenticate,
  type Authentication,
  type AuthenticatorDeps,
  createAuthenticator,
  createStanding,
  type Identity,
} from './access/authenticator.js';
export { challengeOf } from './access/challenge.js';
export { createMemoryJwtVerifier, type VerifiedJwt, type VerifyJwt } from './access/jwt-verifier.js';
export { mayName, narrowUpdate } from './access/narrow-update.js';
export type { ApprovalQuery, Decision, Desk } from './approvals/desk.js';
export type { Ticket, TicketDraft, TicketKey, TicketRef, TicketRun } from './approvals/ticket.js';
export {
  createMemoryTicketStore,
  type SettledStatus,
  type TicketQuery,
  type TicketStore,
} from './approvals/ticket-store.js';
export {
  type AuditList,
  type AuditLog,
  type AuditPage,
  type AuditPortion,
  AuditUnavailable,
  type OpenAction,
} from './audit/audit-log.js';
export { createMemoryAuditLog, type MemoryAuditLog } from './audit/memory-audit-log.js';
export { createNoAuditLog } from './audit/no-audit-log.js';
export type { RefusedRequest } from './audit/refused-access.js';
export type { BatchCall } from './batch.js';
export { type Call, type Caller, CallFailure, type CallKind, type Outcome, operator } from './call.js';
export {
  AiClientError,
  type AiClients,
  type ClientChange,
  type ClientPreview,
  type ImportedServer,
  type ImportPlan,
  type ImportProblem,
  type ImportRequest,
  type SkippedServer,
} from './clients/ai-clients.js';
export type { ClientDesk } from './clients/client-desk.js';
export { createMemoryAiClients, type MemoryClient } from './clients/memory-ai-clients.js';
export type { CompletionCall } from './complete.js';
export type { ConfigAuthor } from './configuration/change-draft.js';
export {
  applyEdits,
  type ConfigEdit,
  type ConfigSource,
  createFixedConfigSource,
  createMemoryConfigSource,
  InvalidConfig,
  issuesOf,
  type LoadedConfig,
  type MemoryConfigSource,
} from './configuration/config-source.js';
export type { Configuration, Imported, Reloaded, ServerUpserted } from './configuration/configuration.js';
export {
  type ConfigurationLog,
  createMemoryConfigurationLog,
  type FileStanding,
  type LogTurn,
  type SharedChange,
} from './configuration/sharing/configuration-log.js';
export { openSharedConfigSource, type SharedConfigSourceDeps } from './configuration/sharing/shared-config-source.js';
export { type AuditReads, type ControlPlane, createControlPlane } from './control-plane.js';
export {
  createMemoryDefinitionStore,
  type DefinitionStore,
  type StoredDefinitions,
} from './definitions/definition-store.js';
export type { Description } from './describe.js';
export type { FeedPage } from './feed/catalog-feed.js';
export {
  createMemoryFeedStore,
  createSharedMemoryFeedStore,
  entryKey,
  type FeedChange,
  type FeedStore,
  type KnownEntry,
  type KnownKey,
  type SharedFeed,
  settleChange,
} from './feed/feed-store.js';
export type { CallClient } from './interaction/client.js';
export { createMemoryStores, type MemoryStores } from './memory-stores.js';
export {
  createMemoryMetrics,
  type ExecutionSample,
  type MemoryMetrics,
  noMetrics,
  type ObservedMetric,
  type PlaneMetrics,
  type Reading,
} from './metrics/metrics.js';
export { NeighbourSilent, type Neighbours, noNeighbours } from './neighbours/neighbours.js';
export type { PlaneState } from './plane-state.js';
export type { Log, LogLevel, NotifyApproval, PlaneDeps, SampleMessages, Stores } from './ports.js';
export type { CreateMessage, SamplingDesk, SamplingListQuery } from './sampling/desk.js';
export {
  createMemorySamplingStore,
  type SamplingQuery,
  type SamplingStore,
  type SettledSampling,
} from './sampling/sampling-store.js';
export type { SamplingDraft, SamplingRef, SamplingTicket } from './sampling/ticket.js';
export type { SearchRequest } from './search-catalog.js';
export { createMemoryEmbedder, type Embedder } from './semantic/embedder.js';
export { createMemoryVectorStore, type StoredVector, type VectorStore } from './semantic/vector-store.js';
export type { Task, TaskChange, TaskStatus } from './tasks/task.js';
export type { TaskAnswer } from './tasks/task-answer.js';
export { createMemoryTaskStore, type TaskQuery, type TaskStore } from './tasks/task-store.js';
export type { TaskListQuery, Tasks } from './tasks/tasks.js';
export { parseTraceParent, toContext, toTraceParent, traceFields } from './tracing/trace-context.js';
export type { PolicyTrial, PolicyVerdict } from './try-policy.js';
export type { UpdateEvent, UpdateListener } from './updates.js';
export { isKnownTo } from './visibility.js';
