// The portico command as a function, for those who run it from a process of their own.
export { runCommand } from './run-command.js';
