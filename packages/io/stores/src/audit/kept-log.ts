// An audit log of its parts: what is asked of it, once what waits has been written.
import type { VerificationReport } from '@portico/audit-chain';
import type { AuditLog } from '@portico/control-plane';
import type { AuditAppender } from './audit-appender.js';
import type { Listeners } from './listeners.js';
import type { Queries } from './queries.js';
import { shareRuns } from './share-runs.js';
import type { Writer } from './writer.js';

export interface KeptLog extends AuditLog {
  /** Writes what waits, and gives back what the log has taken. */
  close(): Promise<void>;
}

export interface KeptLogParts {
  readonly writer: Writer;
  readonly appender: AuditAppender;
  readonly queries: Queries;
  readonly listeners: Listeners;
  readonly verify: () => Promise<VerificationReport>;
  readonly checkpoints: AuditLog['checkpoints'];
}

export function toAuditLog({ writer, appender, queries, listeners, verify, checkpoints }: KeptLogParts): AuditLog {
  const flushed =
    <A extends unknown[], T>(query: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await writer.flush(); // reads see what was appended
      return query(...args);
    };

  return {
    begin: appender.begin,
    append: appender.append,
    flush: writer.flush,
    list: flushed(queries.list),
    get: flushed(queries.get),
    stats: flushed(queries.stats),
    series: flushed(queries.series),
    usage: flushed(queries.usage),
    verify: shareRuns(flushed(verify)),
    records: (filter) => flushedRecords(writer.flush, queries.records(filter, appender.lastSeq())),
    checkpoints,
    async after(seq, portion) {
      if (writer.head().seq <= seq) await writer.flush();
      return queries.after(seq, portion);
    },
    head: writer.head,
    onKept: listeners.add,
    waiting: writer.waiting,
    isVolatile: false,
    unavailable: writer.unavailable,
  };
}

async function* flushedRecords<T>(flush: () => Promise<void>, records: AsyncIterable<T>): AsyncGenerator<T> {
  await flush();
  yield* records;
}
