// Information about a state directory without opening it. An entry of its own, because it loads faster than a database.
export { findDaemonAddress } from './daemon-address.js';
export { listDaemons, type RunningDaemon } from './daemon-registry.js';
export { readSecret } from './secret-file.js';
