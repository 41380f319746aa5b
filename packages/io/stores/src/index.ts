// Where a daemon keeps what must outlive it.
export { openStateDirectory, type StateDirectory, StateDirectoryError } from './state-directory.js';
