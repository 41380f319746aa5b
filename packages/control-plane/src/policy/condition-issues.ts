// Conditions of rules that do not compile, found before a configuration is in force.
import { type Config, type Issue, joinPath } from '@portico/contracts';
import { compileArgumentRules } from '@portico/policy-engine';
import { allLayers } from '../state/policy-layers.js';

/** The conditions that do not compile, with their fields. */
export function conditionIssues(config: Config): readonly Issue[] {
  return allLayers(config).flatMap(({ at, rules: { rules = [] } }) => {
    const compiled = compileArgumentRules(rules);
    if (compiled.ok) return [];
    return compiled.problems.map(({ index, problem }) => ({
      path: joinPath([...at, 'rules', index, 'when']),
      message: problem,
    }));
  });
}
