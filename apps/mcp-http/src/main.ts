#!/usr/bin/env node
// Starts the listener with the arguments of this process.
import { runMcpHttp } from './process.js';

await runMcpHttp(process.argv.slice(2));
