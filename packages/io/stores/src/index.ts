// Where a daemon keeps what must outlive it.
export { type AuditFile, type AuditFileOptions, openAuditFile } from './audit/audit-file.js';
export { AuditFileError } from './audit/audit-file-error.js';
export type { SigningOptions } from './audit/checkpoints/checkpointer.js';
export { type PublicKey, parsePublicKeys } from './audit/checkpoints/public-keys.js';
export { openSigner, readPublicKeys } from './audit/checkpoints/signing-key.js';
export { chainKey, logKey } from './audit/log-key.js';
export { createSiemCursors, type SiemCursors } from './audit/siem-cursors.js';
export { type VerifyFileOptions, verifyFile } from './audit/verify-file.js';
export { createBudgetStore } from './budgets/budgets.js';
export { type ConfigurationLogOptions, createConfigurationLog } from './configuration-log.js';
export { announceDaemonAddress } from './daemon-address.js';
export { registerDaemon } from './daemon-registry.js';
export { openStateDatabase, type StateDatabase } from './database.js';
export { createDefinitionStore } from './definitions.js';
export { createFeedStore } from './feed.js';
export { createGrantStore } from './grants.js';
export { inspectPostgres, inspectStateDatabase } from './inspect-database.js';
export { createLedger } from './ledger.js';
export { createOAuthRecords, type OAuthRecords, type OAuthRecordsOptions } from './oauth/oauth-records.js';
export { type KeyPlace, type OpenSealKeyOptions, openSealKey } from './oauth/seal-key.js';
export { openPostgresAudit, type PostgresAuditOptions } from './postgres/audit/postgres-audit.js';
export { type CopiedState, copyState } from './postgres/copy-state.js';
export { type OpenPostgresOptions, openPostgresDatabase, type PostgresOptions } from './postgres/open-postgres.js';
export { createPeers } from './postgres/peers.js';
export { StorageError } from './postgres/storage-error.js';
export { type KeptDefinitions, readKeptDefinitions } from './read-kept-definitions.js';
export { createSamplingStore } from './sampling.js';
export { keepSecret, readSecret, removeSecret, type SecretName } from './secret-file.js';
export {
  claimStateDirectory,
  openStateDirectory,
  readClaimant,
  readLockHolder,
  type StateDirectory,
  StateDirectoryError,
  StateDirectoryInUse,
} from './state-directory.js';
export { createTaskStore } from './tasks.js';
export { createTicketStore } from './tickets.js';
export { createVectorStore } from './vectors.js';
