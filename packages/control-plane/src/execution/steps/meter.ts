// Applies the rules on usage to a call: only calls of a configuration that has such rules come here.
import { andThen } from '@portico/async';
import { utf8Length } from '@portico/canonical-json';
import { isQuestion } from '@portico/contracts';
import type { Amounts } from '../../budgets/arithmetic.js';
import type { Budgets } from '../../budgets/budgets.js';
import type { Charging } from '../../budgets/charging.js';
import { type ComparedCall, type LoopBreaker, ruleOfLoop } from '../../budgets/loop-breaker.js';
import { tokensOf } from '../../budgets/tokens.js';
import type { CallFailure, Outcome } from '../../call/call.js';
import { isInterim } from '../../call/interim.js';
import type { CountedTurns } from '../../interaction/counted-turns.js';
import { bindingOf, type RequestStates } from '../../interaction/request-state.js';
import type { UsageRules } from '../../state/usage-rules.js';
import type { Attempt } from './classify.js';
import type { Metered } from './metered.js';
import type { Run } from './record.js';
import type { TurnAnswer } from './turn-answer.js';

export interface MeterDeps {
  readonly loops: LoopBreaker;
  readonly budgets: Budgets;
  readonly countedTurns: CountedTurns;
  readonly states: RequestStates;
}

/** The attempt with its checks and counts; one in a loop, or over a budget, may need an approval. */
export async function meter(on: MeterDeps, rules: UsageRules, attempt: Attempt): Promise<Attempt> {
  const metered = new MeteredAttempt(on, rules, attempt);
  const isAsked = attempt.run.entry.kind !== 'ticket' && metered.mayNeedPerson && (await metered.needsPerson());
  const { run, target, prepared, args, claim, isGated, isRound } = attempt;
  // Each field by its name: this is done for every call, and a spread takes several times as long.
  return {
    run,
    target,
    prepared,
    args,
    claim,
    isGated,
    isRound,
    needsApproval: attempt.needsApproval || isAsked,
    metered,
  };
}

/** A further turn goes on with a call that is charged: it is free, and only its result is noted. */
type Turn = 'first' | 'of_waiting' | 'of_stateless';

function turnOf({ countedTurns, states }: MeterDeps, { run, target, needsApproval }: Attempt): Turn {
  const { requestState } = run.call;
  if (requestState === undefined) return 'first';
  const binding = bindingOf(run.call, target);
  const read = states.read(requestState, binding);
  // With a state of ours nothing is sent unless a call waits under it, which takes it out.
  if (read.kind === 'ours') return read.subject === 'call' || needsApproval ? 'of_waiting' : 'first';
  return countedTurns.has(requestState, binding) ? 'of_stateless' : 'first';
}

class MeteredAttempt implements Metered {
  readonly #on: MeterDeps;
  readonly #attempt: Attempt;
  readonly #rules: UsageRules;
  readonly #turn: Turn;
  #compared: ComparedCall | undefined;
  #charging: Charging | undefined;
  #hasTaken = false;

  constructor(on: MeterDeps, rules: UsageRules, attempt: Attempt) {
    this.#on = on;
    this.#attempt = attempt;
    this.#rules = rules;
    this.#turn = turnOf(on, attempt);
    this.#count(this.#turn !== 'first');
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
    if (this.#turn === 'of_stateless') {
      this.#hasTaken = this.#takeTurn();
      if (!this.#hasTaken) this.#count(false); // another request was faster
    }
    const failure = this.#loopFailure() ?? this.#charging?.reserve();
    return andThen(failure, (found) => (found === undefined ? this.#begun() : refused(this.#attempt.run, found)));
  }

  ended(answered: TurnAnswer | CallFailure): void | Promise<void> {
    this.#noteTurn(answered);
    const text = resultTextOf(answered);
    if (text !== undefined) this.#compared?.ended(text);
    return this.#charging?.settle(isUnsent(answered) ? 'not_sent' : this.#tookOf(answered));
  }

  answered(outcome: Outcome): Outcome {
    const budgetsLeft = this.#charging?.left;
    return budgetsLeft === undefined || outcome.kind !== 'answered' ? outcome : { ...outcome, budgetsLeft };
  }

  #count(isFurther: boolean): void {
    const { loops, budgets } = this.#on;
    const { run, target, prepared } = this.#attempt;
    const isApproved = run.entry.kind === 'ticket';
    const { loops: rules } = this.#rules;
    this.#compared = rules && loops.compare(rules, run.call, target, prepared.args, isApproved || isFurther);
    this.#charging = isFurther ? undefined : budgets.open(this.#rules, run.call, target, isApproved);
  }

  #takeTurn(): boolean {
    const { run, target } = this.#attempt;
    const { requestState } = run.call;
    return requestState !== undefined && this.#on.countedTurns.take(requestState, bindingOf(run.call, target));
  }

  /** Notes the state of a further turn that may follow; that of a turn which was not sent can be used again. */
  #noteTurn(answered: TurnAnswer | CallFailure): void {
    const { run, target } = this.#attempt;
    const next = isUnsent(answered) ? (this.#hasTaken ? run.call.requestState : undefined) : stateIn(answered);
    if (next !== undefined) this.#on.countedTurns.add(next, bindingOf(run.call, target));
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
    return { resultBytes, resultTokens: tokensOf(resultBytes), upstreamUs };
  }
}

/** The state that an upstream which keeps nothing between requests gives with its questions. */
function stateIn(answered: TurnAnswer | CallFailure): string | undefined {
  if (answered instanceof Error || answered.isPaused) return undefined;
  const { data } = answered;
  return isQuestion(data) && typeof data.requestState === 'string' ? data.requestState : undefined;
}

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
