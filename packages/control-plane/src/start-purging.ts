// Removes what is no longer kept, from time to time: expired records, old tasks, and tickets long decided.
import type { Ledger } from '@portico/idempotency';
import type { Clock } from '@portico/upstream-pool';
import type { GrantStore } from './approvals/grant-store.js';
import type { TicketStore } from './approvals/ticket-store.js';
import type { BudgetStore } from './budgets/budget-store.js';
import type { Log } from './common/log.js';
import type { SamplingStore } from './sampling/sampling-store.js';
import type { SemanticSearch } from './search/semantic/semantic-search.js';
import { taskTtlMs } from './tasks/task.js';
import type { TaskStore } from './tasks/task-store.js';

export interface PurgingDeps {
  readonly ledger: Ledger;
  readonly tickets: TicketStore;
  readonly samplingTickets: SamplingStore;
  readonly tasks: TaskStore;
  readonly budgetAccounts: BudgetStore;
  readonly grantStore: GrantStore;
  readonly semantic: Pick<SemanticSearch, 'purge'>;
  readonly clock: Clock;
  readonly log: Log;
}

const everyMs = 600_000;

/** Decided tickets and grants stay readable for this long after they were opened, or expired: a month. */
const keepTicketsMs = 30 * 86_400_000;

/** Calls that end behind the slot of an account are still charged to it: a day. */
const keepAccountsMs = 86_400_000;

/** Purges at once and then every ten minutes. Returns the function that ends it, also in the middle of a purge. */
export function startPurging({
  ledger,
  tickets,
  samplingTickets,
  tasks,
  budgetAccounts,
  grantStore,
  semantic,
  clock,
  log,
}: PurgingDeps): () => void {
  let cancel = () => {};
  let isOver = false;
  const purge = async () => {
    const nowMs = clock.epochMs();
    const purges = [
      () => ledger.purge(nowMs),
      () => tickets.purge(nowMs - keepTicketsMs),
      () => samplingTickets.purge(nowMs - keepTicketsMs),
      () => tasks.purge(nowMs - taskTtlMs),
      () => semantic.purge(nowMs),
      () => budgetAccounts.purge(nowMs - keepAccountsMs),
      () => grantStore.purge(nowMs - keepTicketsMs),
    ];
    for (const each of purges) {
      if (isOver) return;
      await each().catch((error: unknown) => {
        if (!isOver) log('error', 'expired records could not be removed; it is tried again', { error });
      });
    }
  };
  const again = () => {
    cancel = clock.after(everyMs, again);
    void purge();
  };
  again();
  return () => {
    isOver = true;
    cancel();
  };
}
