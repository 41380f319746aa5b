// The listener as functions, for those who start it from a process of their own.
export { runMcpHttp } from './run-mcp-http.js';
export { type ServeMcpHttpOptions, serveMcpHttp } from './serve-mcp-http.js';
