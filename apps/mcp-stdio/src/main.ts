#!/usr/bin/env node
// Serves stdin and stdout with the arguments of this process.
import { runMcpStdio } from './run-mcp-stdio.js';

await runMcpStdio(process.argv.slice(2));
