// Where a daemon keeps what must outlive it.
export { openStateDatabase, type StateDatabase } from './database.js';
export { createLedger } from './ledger.js';
export { openStateDirectory, type StateDirectory, StateDirectoryError } from './state-directory.js';
export { createTicketStore } from './tickets.js';
