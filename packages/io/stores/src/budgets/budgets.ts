// The accounts of budgets in the state database. A charge outlives a kill of the process; a power loss may take the last
// moments back.
import type { BudgetStore } from '@portico/control-plane';
import type { StateDatabase } from '../database.js';
import { LeasedAccounts } from './leased-accounts.js';
import { createSharedAccounts } from './shared-accounts.js';

/**
 * Creates the store of the accounts of budgets.
 * @param database one whose statements run at once (SQLite) belongs to one process, which counts in memory: a second store
 *   on the same file overwrites the rows of the first. The lock of the state directory keeps other daemons away.
 */
export function createBudgetStore(database: StateDatabase): BudgetStore {
  const isShared = database.now === undefined;
  return isShared ? createSharedAccounts(database) : new LeasedAccounts(database);
}
