// The rules on usage for one attempt. Shapes only.
import type { CallFailure } from '../../call/call.js';
import type { TurnAnswer } from './turn-answer.js';

/** The rules on usage for one attempt. */
export interface Metered {
  /** Checks a call before a person is asked about it. @throws CallFailure POLICY_DENIED */
  check(): void;
  /** Called just before it is sent. @returns the failure of a call that is not to be sent */
  begin(): CallFailure | undefined;
  /** Takes in the end of its turn. */
  ended(answered: TurnAnswer | CallFailure): void;
}
