// The rules on how often and how much: compiled once for each configuration.
import type { Config, LoopRules } from '@portico/contracts';
import { compilePatterns } from '@portico/policy-engine';
import type { Target } from '../call/target.js';

export interface UsageRules {
  /** Undefined without the block. */
  readonly loops: CompiledLoops | undefined;
}

export interface CompiledLoops extends LoopRules {
  /** Whether one of the names is an exception. */
  isExcept(names: Target['names']): boolean;
}

/** Undefined for a configuration without such rules: calls then skip all of it. */
export function compileUsageRules({ loops }: Pick<Config, 'loops'>): UsageRules | undefined {
  return loops === null ? undefined : { loops: compileLoops(loops) };
}

function compileLoops(rules: LoopRules): CompiledLoops {
  const except = compilePatterns(rules.except);
  return {
    ...rules,
    isExcept: (names) => !except.isEmpty && names.some((each) => each.some((name) => except.match(name) !== undefined)),
  };
}
