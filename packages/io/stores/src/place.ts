// What is known of a state directory without opening it. An entry of its own: it loads in no time, and a database does not.
export { findDaemonAddress } from './daemon-address.js';
export { listDaemons, type RunningDaemon } from './daemon-registry.js';
export { readSecret } from './secret-file.js';
