// A word about a state. The word says it; the colour only helps.
import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return (
    <span className={`badge is-${tone}`}>
      <span className="dot" aria-hidden="true" />
      {children}
    </span>
  );
}
