// Opens a whole Portico in-process. Apps add flags and a socket.
export { ConfigError } from '@portico/config-host';
export { StateDirectoryError } from '@portico/stores';
export { isLogThreshold, type LogThreshold, logLevels } from '@portico/telemetry';
export { type Host, type HostOptions, openHost } from './open-host.js';
export { version } from './version.js';
