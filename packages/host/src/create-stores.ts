// Everything durable that the control plane asks for, in one database.
import type { PlaneDeps } from '@portico/control-plane';
import {
  createDefinitionStore,
  createFeedStore,
  createLedger,
  createSamplingStore,
  createTaskStore,
  createTicketStore,
  createVectorStore,
  type StateDatabase,
} from '@portico/stores';

export function createStores(
  database: StateDatabase,
): Pick<PlaneDeps, 'ledger' | 'tickets' | 'samplingTickets' | 'tasks' | 'feed' | 'vectors' | 'definitions'> {
  return {
    ledger: createLedger(database),
    tickets: createTicketStore(database),
    samplingTickets: createSamplingStore(database),
    tasks: createTaskStore(database),
    feed: createFeedStore(database),
    vectors: createVectorStore(database),
    definitions: createDefinitionStore(database),
  };
}
