// The chain of a log whose first records were pruned: the record about the pruning names it.
import { type AuditRecord, isPrunedUpTo, parseRecord, pruningIn } from '@portico/audit-chain';
import type { LogBytes } from './log-bytes.js';
import type { Queries } from './queries.js';
import { readLines } from './read-lines.js';

/** Records of pruning that are looked at together: nearly always the newest one is it. */
const atATime = 20;

/**
 * Returns the hash of the first record that the log ever had, as the newest record says that accounts for all records before
 * the oldest one that is kept; undefined if no record does.
 * @param size of what is kept, in bytes
 */
export async function prunedChain(file: LogBytes, size: number, queries: Queries): Promise<string | undefined> {
  const first = await recordFrom(file, file.first?.() ?? 0, size);
  if (first === undefined) return undefined;
  const before = { seq: first.seq - 1, hash: first.prev_hash };
  // `q` looks at values, not at names of members: this one is that of `details.action`.
  const filter = { event_type: 'config_change', q: 'audit_prune' } as const;
  for (let offset = 0, total = 1; offset < total; offset += atATime) {
    const page = await queries.list(filter, { limit: atATime, offset });
    total = page.total;
    for (const event of page.events) {
      const pruning = pruningIn(event);
      if (pruning !== undefined && isPrunedUpTo(pruning, before)) return pruning.chainId;
    }
  }
  return undefined;
}

/** The record of the line that begins at a place; undefined if there is none. */
export async function recordFrom(file: LogBytes, start: number, end: number): Promise<AuditRecord | undefined> {
  for await (const [line] of readLines(file, { start, end }))
    return line?.text == null ? undefined : parseRecord(line.text);
  return undefined;
}
