// Everything durable that the control plane asks for, in one database, and who shares it.
import type { PlaneDeps } from '@portico/control-plane';
import {
  createBudgetStore,
  createDefinitionStore,
  createFeedStore,
  createGrantStore,
  createLedger,
  createSamplingStore,
  createTaskStore,
  createTicketStore,
  createVectorStore,
} from '@portico/stores';
import type { OpenState } from './open-state.js';

type Stores =
  | 'ledger'
  | 'tickets'
  | 'samplingTickets'
  | 'tasks'
  | 'feed'
  | 'vectors'
  | 'definitions'
  | 'budgetAccounts'
  | 'grantStore';

export function createStores({ database, peers }: OpenState): Pick<PlaneDeps, Stores | 'peers'> {
  return {
    peers,
    ledger: createLedger(database),
    tickets: createTicketStore(database),
    samplingTickets: createSamplingStore(database),
    tasks: createTaskStore(database),
    feed: createFeedStore(database),
    vectors: createVectorStore(database),
    definitions: createDefinitionStore(database),
    budgetAccounts: createBudgetStore(database),
    grantStore: createGrantStore(database),
  };
}
