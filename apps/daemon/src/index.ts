// The daemon as functions, for those who start it from a process of their own.
export { type DaemonEvents, runDaemon } from './run-daemon.js';
export { type DaemonUrls, type ServeDaemonOptions, serveDaemon } from './serve-daemon.js';
