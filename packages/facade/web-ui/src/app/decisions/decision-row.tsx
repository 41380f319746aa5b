// A row of a list of decisions. One that has left the list keeps its place and its height, and can no longer be pressed.
import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface DecisionRowProps {
  readonly isGone: boolean;
  /** The text of the row. */
  readonly children: ReactNode;
  /** How long it still waits. */
  readonly time?: ReactNode;
  /** Instead of the time, once it has left the list. */
  readonly over: string;
  readonly actions: ReactNode;
}

export function DecisionRow({ isGone, children, time, over, actions }: DecisionRowProps) {
  const row = useRef<HTMLLIElement>(null);
  // The focus stays in the row when the button that has it is hidden.
  useLayoutEffect(() => {
    if (isGone && row.current?.contains(document.activeElement)) row.current.focus({ preventScroll: true });
  }, [isGone]);
  return (
    <li
      ref={row}
      className={isGone ? 'need is-gone' : 'need'}
      data-row
      data-gone={isGone ? '' : undefined}
      tabIndex={-1}
    >
      <div className="need-text">{children}</div>
      {isGone ? <span className="muted">{over}</span> : time}
      <div className="actions">{actions}</div>
    </li>
  );
}
