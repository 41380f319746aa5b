// The listener as a function, for those who start it from a process of their own.
export { runMcpHttp } from './run-mcp-http.js';
