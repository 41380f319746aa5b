// The server as this process: an entry of its own, which the build bundles into one script that starts fast.
export { runMcpStdio } from './run-mcp-stdio.js';
