// The shared in-process state of Portico and the life of a call. Facades receive the plane; nothing is global.
export {
  type Authenticate,
  type Authentication,
  type AuthenticatorDeps,
  type Connection,
  createAuthenticator,
  createStanding,
  type Identity,
} from './access/authenticator.js';
export { challengeOf } from './access/challenge.js';
export { createMemoryJwtVerifier, type VerifiedJwt, type VerifyJwt } from './access/jwt-verifier.js';
export { localCaller, otherUser, tokenCaller } from './access/local-callers.js';
export { mayName, narrowUpdate } from './access/narrow-update.js';
export type { OpenStream } from './access/streams.js';
export type { ApprovalQuery, ApprovalService, ApprovedHow, Decision } from './approvals/approval-service.js';
export type { GrantRequest } from './approvals/grant-offer.js';
export type { GrantListQuery, GrantService, Revocation } from './approvals/grant-service.js';
export {
  createMemoryGrantStore,
  type GrantDraft,
  type GrantQuery,
  type GrantStore,
  type GrantSubject,
  grantClockToleranceMs,
  maxOpenGrants,
  type StoredGrant,
} from './approvals/grant-store.js';
export type { NoticePort, NoticeService } from './approvals/notice-service.js';
export type { NoticeTarget } from './approvals/notice-targets.js';
export type { NotifyApproval } from './approvals/notify.js';
export type { Ticket, TicketDraft, TicketKey, TicketRef, TicketRun } from './approvals/ticket.js';
export type { AskedDefinition, TicketDefinition } from './approvals/ticket-definition.js';
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
export type { ConfigAuthor } from './audit/change-draft.js';
export { createMemoryAuditLog, type MemoryAuditLog } from './audit/memory-audit-log.js';
export { createNoAuditLog } from './audit/no-audit-log.js';
export {
  type CallFilter,
  type CallListener,
  matchesCall,
  type RecentCalls,
} from './audit/recent-calls.js';
export type { RefusedRequest } from './audit/refused-access.js';
export {
  type Account,
  type Amounts,
  chargeHeld,
  type Exhausted,
  emptyAccount,
  type Held,
  isCovered,
  type LaterMeasure,
  type Limits,
  leaseOf,
  type Measure,
  type Reservation,
  settle as settleAccount,
} from './budgets/arithmetic.js';
export type { BudgetList, BudgetService } from './budgets/budget-service.js';
export {
  type AccountKey,
  accountName,
  type BudgetStore,
  type Charge,
  type Charged,
  chargeAll,
  createMemoryBudgetStore,
  type SettledAccounts,
  type Settlement,
  type StoredAccount,
} from './budgets/budget-store.js';
export { tokensOf } from './budgets/tokens.js';
export type { BatchCall } from './call/batch.js';
export {
  type BudgetsLeft,
  type Call,
  type Caller,
  CallFailure,
  type CallKind,
  type Outcome,
  operator,
  provenOperator,
} from './call/call.js';
export { CallSource, sourceOfClientInfo, sourceOfHeader } from './call/call-source.js';
export type { CallClient } from './call/client.js';
export {
  createMemoryDefinitionStore,
  type DefinitionStore,
  type StoredDefinitions,
} from './catalog/definitions/definition-store.js';
export type { FirstWaiting, Patience } from './catalog/definitions/first-readings.js';
export type { FeedPage } from './catalog/feed/catalog-feed.js';
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
} from './catalog/feed/feed-store.js';
export type { UpdateEvent, UpdateListener } from './catalog/updates.js';
export type { Log, LogLevel } from './common/log.js';
export { inStage, type Stages } from './common/stage.js';
export {
  AiClientError,
  type AiClients,
  type ClientChange,
  type ClientMovePlan,
  type ClientPreview,
  type ConfiguredServers,
  type ImportedServer,
  type ImportPlan,
  type ImportProblem,
  type ImportRequest,
  type LeftServer,
  type MovableServer,
  type SkippedServer,
} from './configuration/clients/ai-clients.js';
export type { ClientService } from './configuration/clients/client-service.js';
export { createMemoryAiClients, type MemoryClient } from './configuration/clients/memory-ai-clients.js';
export {
  applyEdits,
  type ConfigEdit,
  type ConfigSource,
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
  type ExclusiveLog,
  type FileStanding,
  type SharedChange,
} from './configuration/sharing/configuration-log.js';
export { openSharedConfigSource, type SharedConfigSourceDeps } from './configuration/sharing/shared-config-source.js';
export { type AuditReads, type ControlPlane, createControlPlane } from './control-plane.js';
export type { CompletionCall } from './execution/complete.js';
export type { FrameFollowing, FrameListener } from './inspect/frame-followers.js';
export type { FrameList, FrameQuery, Inspector } from './inspect/inspector.js';
export type { FrameFilter } from './inspect/wire-frame.js';
export type { NotifyDrift } from './lock/drift-report.js';
export { createMemoryLockFile, type LockFile, type MemoryLockFile, type OpenLockFile } from './lock/lock-file.js';
export type { LockService, LockStatus } from './lock/lock-service.js';
export { DriftMoved } from './lock/lock-views.js';
export { type OfflineLock, openOfflineLock } from './lock/offline-lock.js';
export { createMemoryStores, type MemoryStores } from './memory-stores.js';
export {
  createMemoryMetrics,
  type ExecutionSample,
  type MemoryMetrics,
  type ObservedMetric,
  type PlaneMetrics,
  type Reading,
} from './observability/metrics/metrics.js';
export { parseTraceParent, toContext, toTraceParent, traceFields } from './observability/tracing/trace-context.js';
export { noPeers, type Peers, PeerUnresponsive } from './peers/peers.js';
export type { TaskAnswer } from './peers/task-answer.js';
export { conditionIssues } from './policy/condition-issues.js';
export type { ListedRule, ListedRules } from './policy/list-rules.js';
export type { PatternList } from './policy/named-things.js';
export { createOfflinePolicy, type OfflinePolicy } from './policy/offline-policy.js';
export type { PolicyService } from './policy/policy-service.js';
export { type PolicyPreview, requireChange } from './policy/preview-policy.js';
export type { PolicyTrial, PolicyVerdict } from './policy/try-policy.js';
export type { PlaneDeps, Stores } from './ports.js';
export type { SampleMessages } from './sampling/provider-runs.js';
export type { CreateMessage, SamplingListQuery, SamplingService } from './sampling/sampling-service.js';
export {
  createMemorySamplingStore,
  type SamplingQuery,
  type SamplingStore,
  type SettledSampling,
} from './sampling/sampling-store.js';
export type { SamplingDraft, SamplingRef, SamplingTicket } from './sampling/ticket.js';
export type { SearchRequest } from './search/search-catalog.js';
export type { Embedder } from './search/semantic/embedder.js';
export type { TextModel } from './search/semantic/text-model.js';
export { createMemoryVectorStore, type StoredVector, type VectorStore } from './search/semantic/vector-store.js';
export { isMadeBy, serversWithUri } from './state/bare-uri.js';
export type { Description } from './state/describe.js';
export { isLockOn } from './state/lock-verdicts.js';
export type { PlaneState } from './state/plane-state.js';
export { findUiPage } from './state/ui-resources.js';
export type { AskedName } from './state/unknown-servers.js';
export { isKnownTo } from './state/visibility.js';
export type { Task, TaskChange, TaskStatus } from './tasks/task.js';
export { createMemoryTaskStore, type TaskQuery, type TaskSizes, type TaskStore } from './tasks/task-store.js';
export type { TaskListQuery, Tasks } from './tasks/tasks.js';
export type { TraceList, TraceQuery, TraceService } from './traces/trace-service.js';
export { shareUsedUp, type UsedUp } from './waiting/share-used-up.js';
