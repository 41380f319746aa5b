// Applies the rules on usage to a call: only calls of a configuration that has such rules come here.
import { type LoopBreaker, ruleOfLoop } from '../../budgets/loop-breaker.js';
import type { CallFailure } from '../../call/call.js';
import { isInterim } from '../../call/interim.js';
import type { UsageRules } from '../../state/usage-rules.js';
import type { Attempt } from './classify.js';
import type { Metered } from './metered.js';
import type { Run } from './record.js';
import type { TurnAnswer } from './turn-answer.js';

export interface MeterDeps {
  readonly loops: LoopBreaker;
}

/** The attempt with its checks and counts; one that goes on with a loop may need an approval. */
export function meter({ loops }: MeterDeps, rules: UsageRules, attempt: Attempt): Attempt {
  const { run, target, args } = attempt;
  const { call, entry } = run;
  if (rules.loops === undefined) return attempt;
  const isDecided = entry.kind === 'ticket' || call.requestState !== undefined;
  const compared = loops.compare(rules.loops, call, target, args, isDecided);
  if (compared === undefined) return attempt;
  const { loop } = compared;
  const { onDetected } = rules.loops;
  const metered: Metered = {
    check() {
      if (loop === undefined) return;
      if (onDetected === 'deny') throw refused(run, compared.refuse(loop));
      if (onDetected !== 'requireApproval') return;
      compared.report(loop);
      if (!attempt.needsApproval) run.rule = ruleOfLoop(loop.kind);
    },
    begin() {
      if (loop === undefined) return undefined;
      if (onDetected === 'deny') return refused(run, compared.refuse(loop));
      compared.report(loop);
      run.noted = { loop: loop.kind };
      return undefined;
    },
    ended(answered) {
      const text = resultTextOf(answered);
      if (text !== undefined) compared.ended(text);
    },
  };
  const isAsked = loop !== undefined && onDetected === 'requireApproval';
  return { ...attempt, metered, needsApproval: attempt.needsApproval || isAsked };
}

function refused(run: Run, failure: CallFailure): CallFailure {
  run.rule = failure.rule;
  run.noted = { reason: failure.reason ?? null };
  return failure;
}

/**
 * The part of a result that shows whether it changed: without `_meta`, which is not the result itself. Undefined for a
 * call that was not sent, or that goes on.
 */
function resultTextOf(answered: TurnAnswer | CallFailure): string | undefined {
  if (answered instanceof Error) {
    const { code, message, retry } = answered;
    return retry.upstream_execution_state === 'not_started' ? undefined : `${code}: ${message}`;
  }
  const { data, dataText, isPaused } = answered;
  if (isPaused || isInterim(data)) return undefined;
  if (data._meta === undefined && dataText !== undefined) return dataText;
  const { _meta, ...rest } = data;
  return JSON.stringify(rest);
}
