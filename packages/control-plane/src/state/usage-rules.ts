// The rules on how often and how much: compiled once for each configuration.
import type { Budget, Config, LoopRules } from '@portico/contracts';
import { compilePatterns, type PatternSet } from '@portico/policy-engine';
import type { Target } from '../call/target.js';

type Names = Target['names'];

export interface UsageRules {
  /** Undefined without the block. */
  readonly loops: CompiledLoops | undefined;
  /** In an order that is the same for every daemon: accounts are locked in it. */
  readonly budgets: readonly CompiledBudget[];
  /** The price of a call, in millionths. */
  priceOf(names: Names): number;
}

export interface CompiledLoops extends LoopRules {
  /** Whether one of the names is an exception. */
  isExcept(names: Names): boolean;
}

export interface CompiledBudget extends Pick<Budget, 'id' | 'by' | 'window' | 'limits' | 'warnAt' | 'onExhausted'> {
  /** Whether it counts calls of these names. */
  counts(names: Names): boolean;
  /** Whether it has an account of this name. */
  has(scope: string): boolean;
  /** Whether bytes or tokens of results are limited. */
  readonly countsResult: boolean;
}

/** Undefined for a configuration without such rules: calls then skip all of it. */
export function compileUsageRules({
  loops,
  budgets,
  prices,
}: Pick<Config, 'loops' | 'budgets' | 'prices'>): UsageRules | undefined {
  if (loops === null && budgets.length === 0) return undefined;
  return {
    loops: loops === null ? undefined : compileLoops(loops),
    budgets: [...budgets].sort((a, b) => (a.id < b.id ? -1 : 1)).map(compileBudget),
    priceOf: compilePrices(prices),
  };
}

function compileLoops(rules: LoopRules): CompiledLoops {
  const except = compilePatterns(rules.except);
  return { ...rules, isExcept: (names) => !except.isEmpty && matches(except, names) };
}

function compileBudget({ match, only, ...budget }: Budget): CompiledBudget {
  const ids = match === null ? undefined : compilePatterns([match]);
  const scopes = only === null ? undefined : compilePatterns([only]);
  return {
    ...budget,
    counts: (names) => ids === undefined || matches(ids, names),
    has: (scope) => scopes === undefined || scopes.match(scope) !== undefined,
    countsResult: budget.limits.resultBytes !== undefined || budget.limits.resultTokens !== undefined,
  };
}

function compilePrices(prices: Config['prices']): UsageRules['priceOf'] {
  const compiled = compilePatterns([...prices.keys()]);
  return (names) => {
    if (compiled.isEmpty) return 0;
    for (const each of names) {
      for (const name of each) {
        const match = compiled.match(name);
        if (match !== undefined) return prices.get(match) ?? 0;
      }
    }
    return 0;
  };
}

function matches(patterns: PatternSet, names: Names): boolean {
  return names.some((each) => each.some((name) => patterns.match(name) !== undefined));
}
