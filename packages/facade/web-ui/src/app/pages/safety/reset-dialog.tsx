// Asks before an account of a budget is emptied, or all of them, and shows why it was refused.
import type { BudgetAccount, BudgetStanding } from '@portico/contracts';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { accountName, textOfUse, usesOf } from '../../lib/budget-words.js';
import { formatCount, plural } from '../../lib/format.js';

interface ResetDialogProps {
  readonly budget: BudgetStanding;
  /** All of them without it. */
  readonly account?: BudgetAccount;
  onClose(): void;
}

export function ResetDialog({ budget, account, onClose }: ResetDialogProps) {
  const client = useClient();
  const { id, accounts } = budget;
  const reset = useAction(
    () => client.resetBudget(id, { scope: account?.scope ?? null }),
    ({ reset: count }) => `${id}: ${plural(count, 'account')} emptied`,
  );
  const confirm = async () => {
    if ((await reset.run(undefined)) !== undefined) onClose();
  };
  return (
    <ConfirmDialog
      title={account === undefined ? `Empty all accounts of ${id}?` : `Empty ${accountName(account)} of ${id}?`}
      verb="Empty"
      isBusy={reset.isBusy}
      problem={reset.problem}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      {account === undefined ? (
        <p>{formatCount(accounts.length)} accounts begin at zero, and their calls are sent again.</p>
      ) : (
        <>
          <p>
            <VisibleText text={accountName(account)} /> begins at zero, and its calls are sent again. So far it has
            used:
          </p>
          <ul className="used-so-far">
            {usesOf(budget, account).map((use) => (
              <li key={use.measure}>{textOfUse(use)}</li>
            ))}
          </ul>
        </>
      )}
      <p className="hint">The audit log has a record of it.</p>
    </ConfirmDialog>
  );
}
