// The portico command as a function, for those who run it from a process of their own.

export { troubleshootingDocument } from './doctor/explain.js';
export { commandReference } from './reference.js';
export { runCommand } from './run-command.js';
