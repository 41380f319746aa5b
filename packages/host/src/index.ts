// Opens a whole Portico in-process, and what the processes that serve it have in common.

export type { AuditFilter, AuditRecord, VerificationReport } from '@portico/audit-chain';
export { ConfigError, loadConfig } from '@portico/config-host';
export {
  type ApprovalTicket,
  type ApprovalView,
  argumentLines,
  type Config,
  type ConfigInput,
  changeLines,
  type Envelope,
  type ErrorCode,
  type ErrorEnvelope,
  type JsonObject,
  type JsonValue,
  PorticoError,
  type ServerInfo,
} from '@portico/contracts';
export {
  AiClientError,
  type AiClients,
  type Caller,
  CallFailure,
  type ControlPlane,
  type Decision,
  type ImportedServer,
  type ImportPlan,
  type Log,
  type Outcome,
  type UpdateEvent,
} from '@portico/control-plane';
export {
  AuditFileError,
  parsePublicKeys,
  readPublicKeys,
  StateDirectoryError,
  StateDirectoryInUse,
  StorageError,
  verifyFile as verifyAuditFile,
} from '@portico/stores';
export { EnvironmentError, isLogThreshold, type LogThreshold, logLevels } from '@portico/telemetry';
export {
  type SettleResult,
  type UpstreamConnector,
  UpstreamFailure,
  type UpstreamRequest,
  type UpstreamSession,
} from '@portico/upstream-pool';
export { changeTokens, type ListedToken, readTokens, type TokenFile } from './edit-tokens.js';
export { type Flags, type Program, parseFlags } from './flags.js';
export type { FileHostOptions, HostOptions, ObjectHostOptions } from './host-options.js';
export { inspectAccess } from './inspect/inspect-access.js';
export { type InspectedConfig, inspectConfig } from './inspect/inspect-config.js';
export { inspectLock } from './inspect/inspect-lock.js';
export { type InspectedPolicy, inspectPolicy } from './inspect/inspect-policy.js';
export { inspectSearchModel } from './inspect/inspect-search-model.js';
export { type InspectedState, inspectState, type StatePlace, stateDirectoryOf } from './inspect/inspect-state.js';
export { inspectStorage } from './inspect/inspect-storage.js';
export { openUserClients } from './inspect/open-user-clients.js';
export { type Probe, type ProbeOptions, probeServers } from './inspect/probe-servers.js';
export { type Endpoint, ListenError, type Listening, listen } from './listening/listen.js';
export type { McpListener, McpListenerOverrides } from './mcp/mcp-listener.js';
export { type StdioOptions, serveStdio } from './mcp/stdio.js';
export { type MigratedStorage, type MigrateStorageOptions, migrateStorage } from './migrate-storage.js';
export type { OwnCommand } from './open-ai-clients.js';
export { type Host, openHost } from './open-host.js';
export { type CallOptions, everything, type OwnCalls } from './own-calls.js';
export { type OwnEnvironment, ownEnvironment } from './own-environment.js';
export { failureOf, runProcess, stopSignal } from './run-process.js';
export { serveUntil } from './serve-until.js';
export { unencryptedStorage } from './storage-tls.js';
export { systemClock } from './system-clock.js';
export { version } from './version.js';
