// Removes a server after a question.
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';

interface RemoveServerProps {
  readonly id: string;
  onClose(): void;
}

export function RemoveServer({ id, onClose }: RemoveServerProps) {
  const client = useClient();
  const remove = useAction(
    () => client.deleteServer(id),
    () => `${id} is removed`,
  );
  const confirm = async () => {
    if ((await remove.run(undefined)) !== undefined) onClose();
  };
  return (
    <ConfirmDialog
      title={`Remove ${id}?`}
      verb="Remove"
      isBusy={remove.isBusy}
      problem={remove.problem}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>Its session ends, its entries leave the catalog, and profiles that named it lose it.</p>
    </ConfirmDialog>
  );
}
