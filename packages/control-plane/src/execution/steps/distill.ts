// Step 8: shortens what a tool answered, as the caller asked. The upstream has done its work by now, whatever comes of it.
import { describeIssues } from '@portico/contracts';
import { type Modifiers, distill as shorten } from '@portico/distill';
import { CallFailure } from '../../call/call.js';
import { isInterim } from '../../call/interim.js';
import type { Target } from '../../call/target.js';
import type { Stages } from '../../observability/stage.js';
import type { Answer } from './invoke.js';

export interface DistillDeps {
  readonly stages: Stages;
}

/** Whether the caller wants less than the answer: not of an interim one, which is not its result. */
export function isShortened({ data }: Pick<Answer, 'data'>, modifiers: Modifiers): boolean {
  return Object.keys(modifiers).length > 0 && !isInterim(data);
}

/** What the caller wants of an answer. @throws CallFailure INVALID_ARGS */
export function distill(on: DistillDeps, { id }: Pick<Target, 'id'>, answer: Answer, modifiers: Modifiers): Answer {
  if (!isShortened(answer, modifiers)) return answer;
  on.stages.enter('shortening the result', id);
  try {
    const distilled = shorten(answer.data, modifiers);
    if (!distilled.ok) throw new CallFailure('INVALID_ARGS', describeIssues([distilled.issue]), answer.retry);
    return { ...answer, data: distilled.data };
  } finally {
    on.stages.leave();
  }
}
