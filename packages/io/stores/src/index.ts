// Where a daemon keeps what must outlive it.
export { type AuditFile, type AuditFileOptions, openAuditFile } from './audit/audit-file.js';
export { AuditFileError } from './audit/audit-file-error.js';
export type { AuditClock } from './audit/clock.js';
export { type FileState, type LogHandle, type OpenHandle, openLogHandle } from './audit/log-handle.js';
export { createSiemCursors, type SiemCursors } from './audit/siem-cursors.js';
export { type VerifyFileOptions, type VerifyProgress, verifyFile } from './audit/verify-file.js';
export { openStateDatabase, type StateDatabase } from './database.js';
export { createLedger } from './ledger.js';
export { openStateDirectory, type StateDirectory, StateDirectoryError } from './state-directory.js';
export { createTicketStore } from './tickets.js';
