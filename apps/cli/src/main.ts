#!/usr/bin/env node
// Runs the command that this process was started with, and exits as it says.
import { exitCodes } from './failures.js';
import { runCommand } from './run-command.js';

process.exitCode = await runCommand(process.argv.slice(2));
if (process.exitCode === exitCodes.interrupted) process.exit(); // what was under way keeps it no longer
