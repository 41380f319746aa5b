// The rules that are configured: where each is written, how much it matches now, and how often it was met.
import { joinPath } from '@portico/contracts';
import type { RuleHits } from '../observability/metrics/rule-hits.js';
import type { PlaneState } from '../state/plane-state.js';
import { allLayers, type Layer, shadowLayers } from '../state/policy-layers.js';
import { matcherOf, namedThings, type PatternList } from './named-things.js';

export interface ListedRule {
  /** Field of the configuration, as `policy.deny[0]`. */
  readonly path: string;
  readonly list: PatternList;
  readonly pattern: string;
  readonly isShadow: boolean;
  /** What the servers list and the pattern covers; undefined where that was not counted. */
  readonly matches: number | undefined;
  /** Since the start; undefined where that is not counted. */
  readonly hits: number | undefined;
  /** Milliseconds since the Unix epoch; undefined for never. */
  readonly lastHitMs: number | undefined;
}

/** Comparisons of a pattern with a thing for one answer. The matches of later rules are not counted. */
const maxComparisons = 1_000_000;
/** Rules of one answer. */
const maxRules = 10_000;

export interface ListedRules {
  readonly rules: readonly ListedRule[];
  /** Rules that are configured, also where not all are listed. */
  readonly total: number;
}

type WrittenRule = Pick<ListedRule, 'path' | 'list' | 'pattern' | 'isShadow'>;

export function listRules(state: PlaneState, hits: Pick<RuleHits, 'of' | 'ofShadow'>): ListedRules {
  const layers = allLayers(state.config);
  const written = [...rulesIn(layers, false), ...rulesIn(shadowLayers(layers), true)];
  const things = written.length === 0 ? [] : [...namedThings(state)];
  const counted = Math.ceil(maxComparisons / Math.max(1, things.length));
  const rules = written.slice(0, maxRules).map((rule, index) => ({
    ...rule,
    matches: index < counted ? things.filter(matcherOf(rule.pattern, rule.list)).length : undefined,
    ...hitsOf(rule, hits),
  }));
  return { rules, total: written.length };
}

function rulesIn(layers: readonly Layer[], isShadow: boolean): readonly WrittenRule[] {
  return layers.flatMap(({ at, rules }) =>
    (['deny', 'allow', 'requireApproval'] as const).flatMap((list) =>
      rules[list].map((pattern, index) => ({ path: joinPath([...at, list, index]), list, pattern, isShadow })),
    ),
  );
}

/** What `allow` does not cover is counted for the rules on trial only, and then for the list as a whole. */
function hitsOf({ list, pattern, isShadow }: WrittenRule, hits: Pick<RuleHits, 'of' | 'ofShadow'>) {
  if (list === 'allow' && !isShadow) return { hits: undefined, lastHitMs: undefined };
  const rule = list === 'allow' ? 'not_allowed' : `${list === 'deny' ? 'deny' : 'require_approval'}:${pattern}`;
  const hit = isShadow ? hits.ofShadow(rule) : hits.of(rule);
  return { hits: hit?.hits ?? 0, lastHitMs: hit?.lastMs };
}
