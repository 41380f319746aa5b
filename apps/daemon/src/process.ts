// The daemon as this process: an entry of its own, which the build bundles into one script that starts fast.
export { type DaemonEvents, runDaemon } from './run-daemon.js';
