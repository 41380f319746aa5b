// How a form in a dialog ends: what went wrong with it as a whole, and its two buttons.
import type { ComponentProps } from 'react';
import { Button } from './button.js';
import { ProblemNote } from './states.js';

interface SaveActionsProps {
  /** The label of the submit button. */
  readonly label: string;
  readonly isBusy: boolean;
  /** Undefined if it is said beside a field. */
  readonly problem: ComponentProps<typeof ProblemNote>['problem'];
  onCancel(): void;
}

export function SaveActions({ label, isBusy, problem, onCancel }: SaveActionsProps) {
  return (
    <>
      <ProblemNote problem={problem} />
      <div className="actions">
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {label}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </>
  );
}
