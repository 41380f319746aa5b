// Everything that is durable in a daemon, living as long as the process: for embedders that want no files, and tests.
import { createMemoryLedger, type Ledger } from '@portico/idempotency';
import type { Clock } from '@portico/upstream-pool';
import { createMemoryTicketStore, type TicketStore } from './approvals/ticket-store.js';
import { createMemoryAuditLog, type MemoryAuditLog } from './audit/memory-audit-log.js';
import { createMemoryDefinitionStore, type DefinitionStore } from './definitions/definition-store.js';
import { createMemoryFeedStore, type FeedStore } from './feed/feed-store.js';
import { createMemorySamplingStore, type SamplingStore } from './sampling/sampling-store.js';
import { createMemoryVectorStore, type VectorStore } from './semantic/vector-store.js';
import { createMemoryTaskStore, type TaskStore } from './tasks/task-store.js';

export interface MemoryStores {
  readonly ledger: Ledger;
  readonly tickets: TicketStore;
  readonly samplingTickets: SamplingStore;
  readonly tasks: TaskStore;
  readonly feed: FeedStore;
  readonly definitions: DefinitionStore;
  readonly vectors: VectorStore;
  readonly audit: MemoryAuditLog;
}

/** @param auditCapacity how many audit records are kept */
export function createMemoryStores({ epochMs }: Pick<Clock, 'epochMs'>, auditCapacity = 10_000): MemoryStores {
  return {
    ledger: createMemoryLedger(),
    tickets: createMemoryTicketStore(),
    samplingTickets: createMemorySamplingStore(),
    tasks: createMemoryTaskStore(),
    feed: createMemoryFeedStore(),
    definitions: createMemoryDefinitionStore(),
    vectors: createMemoryVectorStore(),
    audit: createMemoryAuditLog({ capacity: auditCapacity, epochMs }),
  };
}
