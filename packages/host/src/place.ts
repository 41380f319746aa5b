// Facts about a service without opening one. A separate entry point, because it loads much faster than a host.
export { findDaemonAddress, listDaemons, type RunningDaemon, readSecret } from '@portico/stores/place';
export { defaultStateDir } from './default-state-dir.js';
export { configFileByDefault, daemonDirectories, localConfigFile, userConfigFile } from './user-places.js';
export { version } from './version.js';
