// Audit logs of tests in PostgreSQL, each as of a daemon with a state directory of its own. `removeAll` closes them.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type LogLine, realClock } from '../../../audit/testing/audit-files.js';
import type { StateDatabase } from '../../../database.js';
import { createPostgresDatabases, startLimitMs } from '../../../testing/postgres-databases.js';
import { createTempDirectories } from '../../../testing/temp-directory.js';
import { openPostgresAudit, type PostgresAuditOptions } from '../postgres-audit.js';

export { startLimitMs };

/** 50 times as fast. */
export const fastClock = { ...realClock, after: (ms: number, run: () => void) => realClock.after(ms / 50, run) };

export const newChainId = () => randomBytes(16).toString('hex');

export function createPostgresAudits() {
  const postgres = createPostgresDatabases();
  const temp = createTempDirectories();
  const opened: { close(): Promise<void> }[] = [];
  let emptied: StateDatabase | undefined;

  const closeLogs = async () => {
    for (const log of opened.splice(0)) await log.close();
  };

  return {
    ...postgres,
    createDirectory: temp.create,
    /** A database without records. The same one each time: logs in it are closed. */
    async empty(): Promise<StateDatabase> {
      await closeLogs();
      emptied ??= await postgres.open();
      await sql`truncate audit_records, audit_heads`.execute(emptied.reads);
      return emptied;
    },
    /** As a new daemon, by default. */
    async openLog(database: StateDatabase, some: Partial<PostgresAuditOptions> = {}) {
      const lines: LogLine[] = [];
      const { chainId = newChainId(), stateDirectory = await temp.create() } = some;
      const log = await openPostgresAudit({
        bufferCapacity: 1000,
        flushIntervalMs: 5,
        maxBatchSize: 100,
        isStrict: false,
        clock: realClock,
        log: (level, message, fields) => lines.push({ level, message, fields }),
        ...some,
        database,
        chainId,
        stateDirectory,
      });
      let isOpen = true;
      const close = async () => {
        if (isOpen) await log.close();
        isOpen = false;
      };
      opened.push({ close });
      return { ...log, close, lines, chainId, stateDirectory };
    },
    async removeAll(): Promise<void> {
      await closeLogs();
      emptied = undefined;
      await postgres.closeAll();
      await temp.removeAll();
    },
  };
}
