// Audit files of tests, in directories of their own. `removeAll` closes what was opened in them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditDraft, AuditFilter, AuditRecord } from '@portico/audit-chain';
import type { AuditLog } from '@portico/control-plane';
import { createTempDirectories } from '../../testing/temp-directory.js';
import { type AuditFile, type AuditFileOptions, openAuditFile } from '../audit-file.js';
import type { AuditClock } from '../clock.js';

export const realClock: AuditClock = {
  epochMs: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export function draftOf(some: Partial<AuditDraft> = {}): AuditDraft {
  return { timestamp: '2026-01-02T03:04:05.678Z', event_type: 'tool_call', status: 'success', ...some };
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

export function createAuditFiles() {
  const temp = createTempDirectories();
  const opened: AuditFile[] = [];
  return {
    createDirectory: temp.create,
    openDatabase: temp.openDatabase,
    /** In a directory with the state beside the log, by default. */
    async open(directory: string, some: Partial<AuditFileOptions> = {}) {
      const lines: LogLine[] = [];
      const database = some.database ?? (await temp.openDatabase(directory));
      const log = await openAuditFile({
        file: join(directory, 'audit.jsonl'),
        stateDirectory: directory,
        database,
        bufferCapacity: 1000,
        flushIntervalMs: 5,
        maxBatchSize: 100,
        isStrict: false,
        blocksAtATime: 1,
        patienceMs: 50_000, // as long as this machine may take to build an index
        clock: realClock,
        log: (level, message, fields) => lines.push({ level, message, fields }),
        ...some,
      });
      let isOpen = true;
      const close = async () => {
        if (isOpen) await log.close();
        isOpen = false;
      };
      const file: AuditFile & { readonly lines: readonly LogLine[]; readonly database: typeof database } = {
        ...log,
        close,
        lines,
        database,
      };
      opened.push(file);
      return file;
    },
    async removeAll(): Promise<void> {
      for (const log of opened.splice(0)) await log.close();
      await temp.removeAll();
    },
  };
}

export async function linesIn(directory: string): Promise<readonly string[]> {
  return (await readFile(join(directory, 'audit.jsonl'), 'utf8')).split('\n').slice(0, -1);
}

export async function recordsOf(log: AuditLog, filter: AuditFilter = {}): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of log.records(filter)) records.push(record);
  return records;
}
