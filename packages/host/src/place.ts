// What is known of a service without opening one. An entry of its own: it loads in no time, and a host does not.
export { findDaemonAddress, listDaemons, type RunningDaemon, readSecret } from '@portico/stores/place';
export { defaultStateDir } from './default-state-dir.js';
export { configFileByDefault, daemonDirectories, localConfigFile, userConfigFile } from './user-places.js';
export { version } from './version.js';
