#!/usr/bin/env node
// Runs the command that this process was started with, and exits as it says.
import { runCommand } from './run-command.js';

process.exitCode = await runCommand(process.argv.slice(2));
