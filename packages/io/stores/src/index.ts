// Where a daemon keeps what must outlive it.
export { type AuditFile, type AuditFileOptions, openAuditFile } from './audit/audit-file.js';
export { AuditFileError } from './audit/audit-file-error.js';
export { createSiemCursors, type SiemCursors } from './audit/siem-cursors.js';
export { type VerifyFileOptions, verifyFile } from './audit/verify-file.js';
export { openStateDatabase, type StateDatabase } from './database.js';
export { createDefinitionStore } from './definitions.js';
export { createFeedStore } from './feed.js';
export { createLedger } from './ledger.js';
export { createOAuthRecords, type OAuthRecords, type OAuthRecordsOptions } from './oauth/oauth-records.js';
export { type KeyPlace, type OpenSealKeyOptions, openSealKey } from './oauth/seal-key.js';
export { type CopiedState, copyState } from './postgres/copy-state.js';
export { openPostgresDatabase, type PostgresOptions } from './postgres/open-postgres.js';
export { StorageError } from './postgres/storage-error.js';
export { createSamplingStore } from './sampling.js';
export {
  openStateDirectory,
  readLockHolder,
  type StateDirectory,
  StateDirectoryError,
  StateDirectoryInUse,
} from './state-directory.js';
export { createTaskStore } from './tasks.js';
export { createTicketStore } from './tickets.js';
export { createVectorStore } from './vectors.js';
