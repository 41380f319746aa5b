// Everything that is durable in a daemon, living as long as the process: for embedders that want no files, and tests.
import { createMemoryLedger, type Ledger } from '@portico/idempotency';
import { createMemoryTicketStore, type TicketStore } from './approvals/ticket-store.js';
import { createMemoryAudit, type MemoryAudit } from './audit.js';

export interface MemoryStores {
  readonly ledger: Ledger;
  readonly tickets: TicketStore;
  readonly audit: MemoryAudit;
}

/** @param auditCapacity how many audit events are kept */
export function createMemoryStores(auditCapacity = 10_000): MemoryStores {
  return { ledger: createMemoryLedger(), tickets: createMemoryTicketStore(), audit: createMemoryAudit(auditCapacity) };
}
