// Asks before something that is not easily taken back.
import type { ReactNode } from 'react';
import type { Problem } from '../lib/problem.js';
import { Button } from './button.js';
import { Modal } from './modal.js';
import { ProblemNote } from './states.js';

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The action of the button, as a verb: `Remove`. */
  readonly verb: string;
  readonly isBusy?: boolean;
  readonly problem?: Problem | undefined;
  onConfirm(): void;
  onClose(): void;
}

export function ConfirmDialog({
  title,
  children,
  verb,
  isBusy = false,
  problem,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  return (
    <Modal title={title} onClose={onClose}>
      <div className="stack">
        {children}
        <ProblemNote problem={problem} />
        <div className="actions">
          <Button variant="danger" isBusy={isBusy} onClick={onConfirm}>
            {verb}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Modal>
  );
}
