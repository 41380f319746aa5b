// The audit log that the configuration asks for, in a file, in PostgreSQL, in memory or none, and the streams of it to SIEM targets.

import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createKeyringEntry } from '@portico/config-host';
import type { Audit } from '@portico/contracts';
import {
  type AuditLog,
  createMemoryAuditLog,
  createNoAuditLog,
  type Log,
  type PlaneMetrics,
} from '@portico/control-plane';
import { createMemoryCursors, createSiemStreams, type SiemCursors, type SiemLag } from '@portico/delivery';
import {
  chainKey,
  createSiemCursors,
  logKey,
  openAuditFile,
  openPostgresAudit,
  openSigner,
  type StateDatabase,
} from '@portico/stores';
import { systemClock } from './system-clock.js';
import { version } from './version.js';

export interface OpenAudit {
  readonly log: AuditLog;
  /** Starts to send what is recorded to the SIEM targets. */
  start(): void;
  /** @throws Error while nothing can be recorded */
  check(): void;
  /** The lag of each target whose position is known. */
  siemLag(): readonly SiemLag[];
  /** Writes what waits, tries shortly to send it, and gives back what the log has taken. */
  close(): Promise<void>;
}

/** How the log and its targets keep up, for `/metrics`. */
export function observeAudit(metrics: PlaneMetrics, { log, siemLag }: OpenAudit): void {
  metrics.observe({
    type: 'gauge',
    name: 'portico_audit_waiting_records',
    help: 'Audit records that wait to be written',
    read: log.waiting,
  });
  metrics.observe({
    type: 'gauge',
    name: 'portico_audit_writable',
    help: 'Whether records can be written: 1, else 0 and calls are refused',
    read: () => (log.unavailable() === undefined ? 1 : 0),
  });
  metrics.observe({
    type: 'gauge',
    name: 'portico_audit_siem_lag_records',
    help: 'Audit records that a SIEM target has not got',
    labels: ['target'],
    read: () => siemLag().map(({ target, records }) => ({ value: records, labels: { target } })),
  });
}

export interface AuditPlace {
  /** The base of the audit file's relative path. */
  readonly directory: string;
  readonly stateDirectory: string;
  /** The id in a database that other daemons may use too. */
  readonly directoryId: string | undefined;
  readonly database: StateDatabase;
  /** Whether people use it as a service; a program that embeds a host has chosen its log itself. */
  readonly isService: boolean;
  readonly log: Log;
  /** Sends records to the SIEM targets. */
  readonly fetch: typeof fetch;
}

const siemGraceMs = 2000;

/** The start and the end of the service are its first and last records. @throws AuditFileError */
export async function openAudit(config: Audit, place: AuditPlace): Promise<OpenAudit> {
  const { log: audit, cursors, close } = await openLog(config, place);
  const streams = createSiemStreams({
    ...config,
    targets: config.siemTargets,
    audit,
    cursors,
    clock: systemClock,
    log: place.log,
    fetch: place.fetch,
    randomUnit: Math.random,
  });
  const recordService = (event_type: 'service_start' | 'service_stop') =>
    audit
      .append({ timestamp: timestamp(), event_type, status: 'success', details: { version, pid: process.pid } })
      .catch((error: unknown) => place.log('error', 'an audit record could not be written', { error }));
  await recordService('service_start');
  return {
    log: audit,
    start: streams.start,
    check() {
      const reason = audit.unavailable();
      if (reason !== undefined) throw new Error(`the audit log cannot be written: ${reason}`);
    },
    siemLag: streams.lag,
    async close() {
      await recordService('service_stop');
      await audit.flush();
      await streams.close(siemGraceMs);
      await close();
    },
  };
}

function timestamp(): string {
  return new Date(systemClock.epochMs()).toISOString();
}

/** One for all state directories of a user, as that of logins. */
const keyEntry = { service: 'portico', account: 'audit-key' };

const volatileLog =
  'the audit log is in memory: its records are lost when this process ends; set audit.filePath to keep them';

interface OpenLog {
  readonly log: AuditLog;
  readonly cursors: SiemCursors;
  readonly close: () => Promise<void>;
}

async function openLog(config: Audit, place: AuditPlace): Promise<OpenLog> {
  const { directory, stateDirectory, directoryId, database, log } = place;
  const inMemory = { cursors: createMemoryCursors(), close: async () => {} };
  const { epochMs } = systemClock;
  if (!config.isEnabled) return { log: createNoAuditLog(epochMs), ...inMemory };
  const isStrict = config.durability === 'strict';
  const keyring = createKeyringEntry(keyEntry.service, keyEntry.account);
  const signing = {
    openSigner: () => openSigner({ stateDirectory, keyring, log }),
    checkpointRecords: config.checkpointRecords,
    checkpointIntervalMs: config.checkpointIntervalMs,
  };
  const common = { ...config, isStrict, stateDirectory, database, clock: systemClock, log };
  if (config.filePath !== null) {
    const file = resolve(directory, config.filePath);
    const { keepDays, maxFileMb } = config;
    const segments = { maxFileBytes: maxFileMb * 1_000_000, keepDays: keepDays ?? undefined };
    const audit = await openAuditFile({ ...common, ...segments, file, owner: directoryId, signing });
    return withCursors(audit, database, logKey(file, directoryId));
  }
  if (directoryId === undefined) {
    if (place.isService) log('warn', volatileLog);
    return {
      log: createMemoryAuditLog({ capacity: config.bufferCapacity, epochMs, pause: setImmediate }),
      ...inMemory,
    };
  }
  const audit = await openPostgresAudit({ ...common, chainId: directoryId, signing });
  return withCursors(audit, database, chainKey(directoryId));
}

type KeptLog = Awaited<ReturnType<typeof openPostgresAudit>>;

async function withCursors(audit: KeptLog, database: StateDatabase, key: string): Promise<OpenLog> {
  const cursors = createSiemCursors(database, key);
  await cursors.lowerTo(audit.head().seq);
  return { log: audit, cursors, close: audit.close };
}
