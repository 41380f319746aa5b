// Audit records to measure with: of many calls, one a second until now.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type AuditDraft, genesisHead, seal } from '@portico/audit-chain';

export type DraftOf = (i: number) => AuditDraft;

/** @param count number of records, of which the last one is of now */
export function createDrafts(count: number): { readonly draftOf: DraftOf; readonly startMs: number } {
  const startMs = Date.now() - count * 1000;
  return {
    startMs,
    draftOf: (i) => ({
      timestamp: new Date(startMs + 1000 * i).toISOString(),
      event_type: 'tool_call',
      status: i % 20 === 0 ? 'failed' : 'success',
      trace_id: createHash('md5').update(String(i)).digest('hex'),
      request_id: `req-${i}`,
      actor_id: `agent-${i % 10}`,
      server_id: `server-${i % 20}`,
      capability_id: `server-${i % 20}.tool_${i % 200}`,
      sanitized_args: { path: `/srv/data/file-${i}.txt`, limit: 50, recursive: true },
      duration_us: 1000 + (i % 5000),
    }),
  };
}

/** Writes a log of this many records, as a daemon does. */
export async function writeLog(file: string, count: number, draftOf: DraftOf): Promise<void> {
  const stream = createWriteStream(file);
  let head = genesisHead;
  for (let i = 0; i < count; ) {
    const lines: string[] = [];
    for (const end = Math.min(count, i + 1000); i < end; i++) {
      const sealed = seal(head, draftOf(i));
      head = sealed.head;
      lines.push(`${sealed.line}\n`);
    }
    if (!stream.write(lines.join(''))) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}
