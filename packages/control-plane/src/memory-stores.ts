// Everything that is durable in a daemon, living as long as the process: for embedders that want no files, and tests.
import { createMemoryLedger } from '@portico/idempotency';
import type { Clock } from '@portico/upstream-pool';
import { createMemoryGrantStore } from './approvals/grant-store.js';
import { createMemoryTicketStore } from './approvals/ticket-store.js';
import { createMemoryAuditLog, type MemoryAuditLog } from './audit/memory-audit-log.js';
import { createMemoryBudgetStore } from './budgets/budget-store.js';
import { createMemoryDefinitionStore } from './catalog/definitions/definition-store.js';
import { createMemoryFeedStore } from './catalog/feed/feed-store.js';
import type { Stores } from './ports.js';
import { createMemorySamplingStore } from './sampling/sampling-store.js';
import { createMemoryVectorStore } from './search/semantic/vector-store.js';
import { createMemoryTaskStore } from './tasks/task-store.js';

export interface MemoryStores extends Stores {
  readonly audit: MemoryAuditLog;
}

/**
 * Creates all stores of a control plane in memory, for tests and for hosts without state.
 * @param auditCapacity how many audit records are kept
 */
export function createMemoryStores({ epochMs }: Pick<Clock, 'epochMs'>, auditCapacity = 10_000): MemoryStores {
  return {
    ledger: createMemoryLedger(),
    tickets: createMemoryTicketStore(),
    samplingTickets: createMemorySamplingStore(),
    tasks: createMemoryTaskStore(),
    feed: createMemoryFeedStore(),
    definitions: createMemoryDefinitionStore(),
    vectors: createMemoryVectorStore(),
    budgetAccounts: createMemoryBudgetStore(),
    grantStore: createMemoryGrantStore(),
    audit: createMemoryAuditLog({ capacity: auditCapacity, epochMs }),
  };
}
