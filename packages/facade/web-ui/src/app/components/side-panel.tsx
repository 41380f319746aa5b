// A panel at the side of the page. The page stays usable beside it: Escape closes it, and the opener gets the focus back.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.js';

interface SidePanelProps {
  readonly title: ReactNode;
  onClose(): void;
  readonly children: ReactNode;
}

export function SidePanel({ title, onClose, children }: SidePanelProps) {
  const panel = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    panel.current?.focus();
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere = document.querySelector('dialog[open]') !== null || event.defaultPrevented;
      if (event.key === 'Escape' && !isElsewhere) close.current();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <aside className="side-panel" ref={panel} tabIndex={-1} aria-labelledby={id}>
      <div className="side-panel-head">
        <h2 id={id}>{title}</h2>
        <Button variant="quiet" onClick={onClose} aria-label="Close the panel">
          <span aria-hidden="true">×</span>
        </Button>
      </div>
      <div className="side-panel-body stack">{children}</div>
    </aside>
  );
}
