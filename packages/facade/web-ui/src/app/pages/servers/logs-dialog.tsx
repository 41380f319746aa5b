// The last log lines of a server, over the list of servers.
import { Modal } from '../../components/modal.js';
import { LogView } from './log-view.js';

interface LogsDialogProps {
  readonly id: string;
  onClose(): void;
}

export function LogsDialog({ id, onClose }: LogsDialogProps) {
  return (
    <Modal title={`Logs of ${id}`} isWide onClose={onClose}>
      <LogView id={id} />
    </Modal>
  );
}
