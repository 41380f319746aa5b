// The listener as this process: an entry of its own, which the build bundles into one script that starts fast.
export { runMcpHttp } from './run-mcp-http.js';
