// The head of a page: its title, here and in the tab of the browser, what it is for, and what can be done on it.
import { type ReactNode, useEffect } from 'react';
import { toVisible } from '../lib/visible.js';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, lead, actions, children }: PageProps) {
  const shown = toVisible(title);
  useEffect(() => {
    document.title = `${shown} · Portico`;
  }, [shown]);
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{shown}</h1>
          {lead === undefined ? null : <p className="lead">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page, on a card of its own. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section className="section">
      <div className="section-head">
        <div>
          <h2>{title}</h2>
          {lead === undefined ? null : <p className="lead">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
