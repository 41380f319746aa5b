// Applies the rules on usage to a call: only calls of a configuration that has such rules come here.
import { andThen } from '@portico/async';
import { utf8Length } from '@portico/canonical-json';
import type { Amounts } from '../../budgets/arithmetic.js';
import type { Budgets } from '../../budgets/budgets.js';
import type { Charging } from '../../budgets/charging.js';
import { type ComparedCall, type LoopBreaker, ruleOfLoop } from '../../budgets/loop-breaker.js';
import type { CallFailure, Outcome } from '../../call/call.js';
import { isInterim } from '../../call/interim.js';
import type { UsageRules } from '../../state/usage-rules.js';
import type { Attempt } from './classify.js';
import type { Metered } from './metered.js';
import type { Run } from './record.js';
import type { TurnAnswer } from './turn-answer.js';

export interface MeterDeps {
  readonly loops: LoopBreaker;
  readonly budgets: Budgets;
}

/** The attempt with its checks and counts; one in a loop, or over a budget, may need an approval. */
export async function meter({ loops, budgets }: MeterDeps, rules: UsageRules, attempt: Attempt): Promise<Attempt> {
  const { run, target, args } = attempt;
  const { call, entry } = run;
  const isApproved = entry.kind === 'ticket';
  const isFurther = call.requestState !== undefined;
  const compared = rules.loops && loops.compare(rules.loops, call, target, args, isApproved || isFurther);
  // A further turn goes on with a call that is charged.
  const charging = isFurther ? undefined : budgets.open(rules, call, target, isApproved);
  const metered = new MeteredAttempt(attempt, rules, compared, charging);
  const isAsked = !isApproved && metered.mayNeedPerson && (await metered.needsPerson());
  return { ...attempt, metered, needsApproval: attempt.needsApproval || isAsked };
}

class MeteredAttempt implements Metered {
  readonly #attempt: Attempt;
  readonly #rules: UsageRules;
  readonly #compared: ComparedCall | undefined;
  readonly #charging: Charging | undefined;

  constructor(attempt: Attempt, rules: UsageRules, compared: ComparedCall | undefined, charging: Charging | undefined) {
    this.#attempt = attempt;
    this.#rules = rules;
    this.#compared = compared;
    this.#charging = charging;
  }

  get mayNeedPerson(): boolean {
    return this.#rules.loops?.onDetected === 'requireApproval' || this.#charging?.mayAsk === true;
  }

  /** Whether a person is asked for the sake of the rules on usage. */
  async needsPerson(): Promise<boolean> {
    if (this.#compared?.loop !== undefined && this.#rules.loops?.onDetected === 'requireApproval') return true;
    return (await this.#charging?.ruleToAsk()) !== undefined;
  }

  async check(): Promise<void> {
    const failure = this.#loopFailure() ?? (await this.#charging?.check());
    if (failure !== undefined) throw refused(this.#attempt.run, failure);
    const { run, needsApproval } = this.#attempt;
    if (needsApproval) return;
    const loop = this.#compared?.loop;
    if (loop !== undefined && this.#rules.loops?.onDetected === 'requireApproval') {
      this.#compared?.report(loop);
      run.rule = ruleOfLoop(loop.kind);
    } else run.rule = (await this.#charging?.ruleToAsk()) ?? run.rule;
  }

  begin(): CallFailure | undefined | Promise<CallFailure | undefined> {
    const failure = this.#loopFailure() ?? this.#charging?.reserve();
    return andThen(failure, (found) => (found === undefined ? this.#begun() : refused(this.#attempt.run, found)));
  }

  ended(answered: TurnAnswer | CallFailure): void | Promise<void> {
    const text = resultTextOf(answered);
    if (text !== undefined) this.#compared?.ended(text);
    return this.#charging?.settle(isUnsent(answered) ? 'not_sent' : this.#tookOf(answered));
  }

  answered(outcome: Outcome): Outcome {
    const budgetsLeft = this.#charging?.left;
    return budgetsLeft === undefined || outcome.kind !== 'answered' ? outcome : { ...outcome, budgetsLeft };
  }

  #begun(): undefined {
    const loop = this.#compared?.loop;
    if (loop === undefined || this.#rules.loops?.onDetected !== 'warn') return;
    this.#compared?.report(loop);
    this.#attempt.run.noted = { loop: loop.kind };
  }

  #loopFailure(): CallFailure | undefined {
    const loop = this.#compared?.loop;
    return loop === undefined || this.#rules.loops?.onDetected !== 'deny' ? undefined : this.#compared?.refuse(loop);
  }

  #tookOf(answered: TurnAnswer | CallFailure): Amounts {
    const upstreamUs = Math.round((this.#attempt.run.upstreamMs ?? 0) * 1000);
    if (answered instanceof Error || this.#charging?.countsResult !== true)
      return { resultBytes: 0, resultTokens: 0, upstreamUs };
    const resultBytes = utf8Length(answered.dataText ?? JSON.stringify(answered.data));
    return { resultBytes, resultTokens: Math.ceil(resultBytes / bytesOfToken), upstreamUs };
  }
}

/** About four bytes of English or JSON are a token of today's models: an estimate. */
const bytesOfToken = 4;

function refused(run: Run, failure: CallFailure): CallFailure {
  run.rule = failure.rule;
  if (failure.reason !== undefined) run.noted = { reason: failure.reason };
  return failure;
}

function isUnsent(answered: TurnAnswer | CallFailure): boolean {
  return answered instanceof Error && answered.retry.upstream_execution_state === 'not_started';
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
