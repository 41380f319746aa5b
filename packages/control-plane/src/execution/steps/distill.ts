// Step 8: shortens the answer of a tool, as the caller asked. The upstream has finished by now, even if this fails.
import { describeIssues, mayHoldExact, parseExact } from '@portico/contracts';
import { type Modifiers, distill as shorten } from '@portico/distill';
import { CallFailure } from '../../call/call.js';
import { isInterim } from '../../call/interim.js';
import type { Target } from '../../call/target.js';
import { inStage, type Stages } from '../../common/stage.js';
import type { Answer, TurnAnswer } from './turn-answer.js';

export interface DistillDeps {
  readonly stages: Stages;
}

/**
 * The requested part of an answer: all of an interim one, which is not its result.
 * @param modifiers undefined for all of it @throws CallFailure INVALID_ARGS
 */
export function distill(
  on: DistillDeps,
  { id }: Pick<Target, 'id'>,
  answer: TurnAnswer,
  modifiers: Modifiers | undefined,
): Answer {
  if (modifiers === undefined || isInterim(answer.data)) return answer;
  const { data, dataText } = answer;
  const distilled = inStage(on.stages, 'shortening the result', id, () => {
    const isExact = dataText !== undefined && mayHoldExact.test(dataText);
    return shorten(isExact ? parseExact(dataText) : data, modifiers);
  });
  if (!distilled.ok) throw new CallFailure('INVALID_ARGS', describeIssues([distilled.issue]), answer.retry);
  return { data: distilled.data, dataText: distilled.text, retry: answer.retry };
}
