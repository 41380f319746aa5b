// Step 8: shortens what a tool answered, as the caller asked. The upstream has done its work by now, whatever comes of it.
import { describeIssues } from '@portico/contracts';
import { type Modifiers, distill as shorten } from '@portico/distill';
import { CallFailure } from '../../call/call.js';
import { isInterim } from '../../call/interim.js';
import type { Answer } from './invoke.js';

/** An interim answer is left as it is: it is not the result that the caller wants less of. @throws CallFailure INVALID_ARGS */
export function distill(answer: Answer, modifiers: Modifiers): Answer {
  if (Object.keys(modifiers).length === 0 || isInterim(answer.data)) return answer;
  const distilled = shorten(answer.data, modifiers);
  if (!distilled.ok) throw new CallFailure('INVALID_ARGS', describeIssues([distilled.issue]), answer.retry);
  return { ...answer, data: distilled.data };
}
