// Rules on the arguments of calls: each covers names by a pattern, as other rules do, and applies if its condition is true.
// They only tighten: a condition without a value, such as one that reads a missing key, makes its rule apply.
import type { ArgumentRule } from '@portico/contracts';
import { type Condition, type ConditionInput, compileCondition, maxConditionSteps } from './conditions/condition.js';
import { compilePatterns, type PatternSet } from './patterns.js';

/** A rule that applies to a call. */
export interface RuleMet {
  readonly rule: ArgumentRule;
  /** Why its condition has no value; undefined if it is true. It names no value of an argument. */
  readonly because: string | undefined;
}

export interface ArgumentVerdict {
  /** The rule that decides: one that denies before one that requires an approval, the first of equals. */
  readonly inForce: RuleMet | undefined;
  /** The same of the rules on trial. */
  readonly onTrial: RuleMet | undefined;
}

export interface ArgumentRules {
  /** @param names lists of names, each of which names the same entry */
  judge(names: readonly (readonly string[])[], input: ConditionInput): ArgumentVerdict;
  /** The rules that cover an entry, with or without an effect on a call. */
  covering(names: readonly (readonly string[])[]): readonly ArgumentRule[];
}

interface CompiledRule {
  readonly rule: ArgumentRule;
  readonly names: PatternSet;
  readonly condition: Condition;
}

export type CompiledRules =
  | { readonly ok: true; readonly rules: ArgumentRules }
  | { readonly ok: false; readonly problems: readonly { readonly index: number; readonly problem: string }[] };

/** Compiles rules. The problems are those of conditions, by the place of their rule in the list. */
export function compileArgumentRules(given: readonly ArgumentRule[]): CompiledRules {
  const compiled: CompiledRule[] = [];
  const problems: { index: number; problem: string }[] = [];
  for (const [index, rule] of given.entries()) {
    const result = compileCondition(rule.when);
    if (!result.ok) {
      problems.push({ index, problem: `rule "${rule.id}" does not compile: ${result.problem}` });
      continue;
    }
    compiled.push({ rule, names: compilePatterns([rule.match], 'narrows'), condition: result.condition });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, rules: toRules(compiled) };
}

/** Rules that deny come first, so that the first one that applies decides. */
function toRules(compiled: readonly CompiledRule[]): ArgumentRules {
  const byEffect = [
    ...compiled.filter(({ rule }) => rule.effect === 'deny'),
    ...compiled.filter(({ rule }) => rule.effect === 'requireApproval'),
  ];
  const inForce = byEffect.filter(({ rule }) => !rule.shadow);
  const onTrial = byEffect.filter(({ rule }) => rule.shadow);
  return Object.freeze({
    judge: (names: readonly (readonly string[])[], input: ConditionInput) => ({
      inForce: firstMet(inForce, names, input),
      onTrial: firstMet(onTrial, names, input),
    }),
    covering: (names: readonly (readonly string[])[]) =>
      compiled.filter((each) => covers(each, names)).map(({ rule }) => rule),
  });
}

function firstMet(
  rules: readonly CompiledRule[],
  names: readonly (readonly string[])[],
  input: ConditionInput,
): RuleMet | undefined {
  const meter = { left: maxConditionSteps };
  for (const each of rules) {
    if (!covers(each, names)) continue;
    const evaluation = each.condition.evaluate(input, meter);
    if (evaluation.kind === 'fails') return { rule: each.rule, because: evaluation.because };
    if (evaluation.value) return { rule: each.rule, because: undefined };
  }
  return undefined;
}

function covers({ names: pattern }: CompiledRule, names: readonly (readonly string[])[]): boolean {
  return names.some((each) => each.some((name) => pattern.match(name) !== undefined));
}
