// A part of the page Safety: what it is for, what can be done in it, and its content.
import type { ReactNode } from 'react';

interface PartProps {
  readonly lead: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Part({ lead, actions, children }: PartProps) {
  return (
    <div className="safety-part">
      <div className="page-head">
        <p className="lead">{lead}</p>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
