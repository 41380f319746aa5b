// The audit log where the configuration switches it off: takes every event, keeps none, and says so.
import { createSeries, createStats, genesisHead } from '@portico/audit-chain';
import type { AuditLog, OpenAction } from './audit-log.js';

const open: OpenAction = Object.freeze({ end: () => undefined });

/** Creates an audit log that keeps nothing, for hosts with `audit.enabled: false`. */
export function createNoAuditLog(epochMs: () => number): AuditLog {
  return {
    begin: () => open,
    append: async () => {},
    flush: async () => {},
    list: async () => ({ events: [], total: 0 }),
    get: async () => undefined,
    stats: async () => createStats(epochMs()).stats(),
    series: async (_filter, span) => createSeries(span).points(),
    usage: async () => ({ rows: [], isComplete: true }),
    verify: async () => ({
      is_valid: true,
      total_records: 0,
      verified_records: 0,
      first_corrupted_id: null,
      details: 'the audit log is off (audit.enabled is false): nothing is recorded',
    }),
    async *records() {},
    async *checkpoints() {},
    after: async () => [],
    head: () => genesisHead,
    onKept: () => () => {},
    waiting: () => 0,
    isVolatile: true,
    unavailable: () => undefined,
  };
}
