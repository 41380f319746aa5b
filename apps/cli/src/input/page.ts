// Flags of lists that come in pages.
import type { Command } from 'commander';
import { toCount, toPositive } from './numbers.js';

export interface PageOptions {
  readonly limit?: number;
  readonly offset?: number;
}

export function addPageFlags(command: Command): Command {
  return command
    .option('--limit <n>', 'at most this many (default: 50)', toPositive)
    .option('--offset <n>', 'leave out this many at the start (default: 0)', toCount);
}
