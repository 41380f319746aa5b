#!/usr/bin/env node
// Runs the command that this process was started with, and exits as it says.
import { exitCodes } from './failures.js';
import { runCommand } from './run-command.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error; // the last of an answer may fail when the command has ended
});
process.exitCode = await runCommand(process.argv.slice(2));
if (process.exitCode === exitCodes.interrupted) process.exit(); // what was under way keeps it no longer
