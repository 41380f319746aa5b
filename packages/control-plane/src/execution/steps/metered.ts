// The rules on usage for one attempt. Shapes only.
import type { CallFailure, Outcome } from '../../call/call.js';
import type { TurnAnswer } from './turn-answer.js';

/** The rules on usage for one attempt. */
export interface Metered {
  /** Whether a person is asked for the sake of the rules on usage. Rejects with CallFailure INTERNAL_ERROR. */
  needsPerson(): Promise<boolean>;
  /** Checks a call before a person is asked about it. Rejects with CallFailure POLICY_DENIED, INTERNAL_ERROR. */
  check(): Promise<void>;
  /** Called just before it is sent. @returns the failure of a call that is not to be sent */
  begin(): CallFailure | undefined | Promise<CallFailure | undefined>;
  /** Takes in the end of its turn. A promise resolves when its charges are kept. */
  ended(answered: TurnAnswer | CallFailure): void | Promise<void>;
  /** Adds the rest of the budgets to the outcome of a call that was sent. */
  answered(outcome: Outcome): Outcome;
}
