// The daemon as a function, for those who start it from a process of their own.
export { type DaemonEvents, runDaemon } from './run-daemon.js';
