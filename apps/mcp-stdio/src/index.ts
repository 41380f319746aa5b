// The server as a function, for those who start it from a process of their own.
export { runMcpStdio } from './run-mcp-stdio.js';
