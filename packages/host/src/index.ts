// Opens a whole Portico in-process. Apps add flags and a socket.

export type { VerificationReport } from '@portico/audit-chain';
export { ConfigError } from '@portico/config-host';
export { AuditFileError, StateDirectoryError, verifyFile as verifyAuditFile } from '@portico/stores';
export { EnvironmentError, isLogThreshold, type LogThreshold, logLevels } from '@portico/telemetry';
export { type Host, type HostOptions, openHost } from './open-host.js';
export { version } from './version.js';
