// Asks before a grant is revoked, and shows why that was refused.
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { type Grant, scopeOfGrant, scopeText, usesText } from '../../lib/grant-words.js';

interface RevokeDialogProps {
  readonly grant: Grant;
  onClose(): void;
}

export function RevokeDialog({ grant, onClose }: RevokeDialogProps) {
  const client = useClient();
  const { grant_id: id } = grant;
  const revoke = useAction(
    () => client.revokeGrant(id),
    () => `${id} is revoked`,
  );
  const confirm = async () => {
    if ((await revoke.run(undefined)) !== undefined) onClose();
  };
  return (
    <ConfirmDialog
      title="Revoke this grant?"
      verb="Revoke"
      isBusy={revoke.isBusy}
      problem={revoke.problem}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        These calls ask a person again: <VisibleText text={scopeText(scopeOfGrant(grant))} />.
      </p>
      <p className="hint">
        {usesText(grant)} uses are left. Calls that have started go on. The audit log has a record of it, and a revoked
        grant cannot be used again.
      </p>
    </ConfirmDialog>
  );
}
