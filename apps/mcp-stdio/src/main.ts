#!/usr/bin/env node
// Serves stdin and stdout with the arguments of this process.
import { runMcpStdio } from './process.js';

await runMcpStdio(process.argv.slice(2));
