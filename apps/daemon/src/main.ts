#!/usr/bin/env node
// Starts the daemon with the arguments of this process.
import { runDaemon } from './process.js';

await runDaemon(process.argv.slice(2));
