// A dialog before everything else, on the browser's own `dialog`: focus stays inside, Escape closes it, and the
// element that opened it gets the focus back.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.js';
import { VisibleText } from './visible-text.js';

interface ModalProps {
  readonly title: string;
  readonly isWide?: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

export function Modal({ title, isWide = false, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const shown = dialog.current;
    if (shown !== null && !shown.open) {
      shown.showModal();
      // The browser would focus the first control, which closes the dialog.
      shown.querySelector<HTMLElement>('.modal-body :is(input, select, textarea)')?.focus();
    }
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'modal is-wide' : 'modal'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="modal-head">
        <h2 id={id}>
          <VisibleText text={title} />
        </h2>
        <Button variant="quiet" onClick={onClose} aria-label="Close">
          <span aria-hidden="true">×</span>
        </Button>
      </div>
      <div className="modal-body">{children}</div>
    </dialog>
  );
}
