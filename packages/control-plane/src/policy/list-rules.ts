// The rules that are configured: where each is written, how much it matches now, and how often it was met.
import { type ArgumentRule, joinPath } from '@portico/contracts';
import type { HitCall, RuleHits } from '../observability/metrics/rule-hits.js';
import type { PlaneState } from '../state/plane-state.js';
import { allLayers, type Layer, shadowLayers } from '../state/policy-layers.js';
import { argumentRuleOf } from '../state/target.js';
import { matcherOf, type NamedThing, namedThings, type PatternList } from './named-things.js';
import type { Turn } from './turns.js';

export interface ListedRule {
  /** Field of the configuration, as `policy.deny[0]`. */
  readonly path: string;
  readonly list: PatternList | 'rules';
  /** The `match` of a rule on arguments. */
  readonly pattern: string;
  /** The rule on arguments; undefined for a pattern of a list. */
  readonly rule?: ArgumentRule;
  readonly isShadow: boolean;
  /** Number of listed entries that the pattern covers; undefined if it was not counted. */
  readonly matches: number | undefined;
  /** Since the start; undefined if that is not counted. */
  readonly hits: number | undefined;
  /** Milliseconds since the Unix epoch; undefined for never. */
  readonly lastHitMs: number | undefined;
  /** That call; undefined if it is not known. */
  readonly lastHit: HitCall | undefined;
}

/** Comparisons of a pattern with a name for one answer. The matches of later rules are not counted. */
const maxComparisons = 1_000_000;
/** Rules of one answer. */
const maxRules = 10_000;
/** Names that are found or compared in one piece: much less than a millisecond. */
const namesAtATime = 500;

export interface ListedRules {
  readonly rules: readonly ListedRule[];
  /** Rules that are configured, also where not all are listed. */
  readonly total: number;
}

type WrittenRule = Pick<ListedRule, 'path' | 'list' | 'pattern' | 'rule' | 'isShadow'>;

export interface RuleLister {
  list(state: PlaneState): Promise<ListedRules>;
}

interface Counted {
  readonly config: PlaneState['config'];
  readonly catalog: PlaneState['catalog'];
  /** Matches of each rule in order, as far as they are counted. */
  readonly matches: Promise<readonly number[]>;
}

/** Matches of rules are counted once for a configuration and the lists of the servers; hits are current. */
export function createRuleLister(hits: Pick<RuleHits, 'of' | 'ofShadow'>, turn: Turn): RuleLister {
  let last: Counted | undefined;
  const matchesOf = (state: PlaneState, written: readonly WrittenRule[]) => {
    const { config, catalog } = state;
    if (last === undefined || last.config !== config || last.catalog !== catalog)
      last = { config, catalog, matches: countMatches(state, written, turn) };
    return last.matches;
  };
  return {
    async list(state) {
      const layers = allLayers(state.config);
      const written = [...rulesIn(layers, false), ...rulesIn(shadowLayers(layers), true), ...argumentRulesIn(layers)];
      const matches = await matchesOf(state, written);
      const rules = written
        .slice(0, maxRules)
        .map((rule, index) => ({ ...rule, matches: matches[index], ...hitsOf(rule, hits) }));
      return { rules, total: written.length };
    },
  };
}

async function countMatches(
  state: PlaneState,
  written: readonly WrittenRule[],
  turn: Turn,
): Promise<readonly number[]> {
  if (written.length === 0) return [];
  let open = 0;
  /** Lets other work run after a number of names. */
  const pass = ({ names }: NamedThing) => {
    open += namesIn(names);
    if (open < namesAtATime) return undefined;
    open = 0;
    return turn();
  };
  await turn();
  const things: NamedThing[] = [];
  let total = 0;
  for (const thing of namedThings(state)) {
    things.push(thing);
    total += namesIn(thing.names);
    const pause = pass(thing);
    if (pause !== undefined) await pause;
  }
  const counts: number[] = [];
  for (const { pattern, list } of written.slice(
    0,
    Math.min(maxRules, Math.ceil(maxComparisons / Math.max(1, total))),
  )) {
    const covers = matcherOf(pattern, list === 'rules' ? 'deny' : list); // rules narrow
    let matches = 0;
    for (const thing of things) {
      if (covers(thing)) matches += 1;
      const pause = pass(thing);
      if (pause !== undefined) await pause;
    }
    counts.push(matches);
  }
  return counts;
}

function namesIn(names: NamedThing['names']): number {
  return names.reduce((sum, each) => sum + each.length, 0);
}

function rulesIn(layers: readonly Layer[], isShadow: boolean): readonly WrittenRule[] {
  return layers.flatMap(({ at, rules }) =>
    (['deny', 'allow', 'requireApproval'] as const).flatMap((list) =>
      rules[list].map((pattern, index) => ({ path: joinPath([...at, list, index]), list, pattern, isShadow })),
    ),
  );
}

function argumentRulesIn(layers: readonly Layer[]): readonly WrittenRule[] {
  return layers.flatMap(({ at, rules: { rules = [] } }) =>
    rules.map((rule, index) => ({
      path: joinPath([...at, 'rules', index]),
      list: 'rules' as const,
      pattern: rule.match,
      rule,
      isShadow: rule.shadow,
    })),
  );
}

/** Calls that `allow` does not cover are counted for shadow rules only, and then for the list as a whole. */
function hitsOf({ list, pattern, rule, isShadow }: WrittenRule, hits: Pick<RuleHits, 'of' | 'ofShadow'>) {
  if (list === 'allow' && !isShadow) return { hits: undefined, lastHitMs: undefined, lastHit: undefined };
  const ofList = list === 'allow' ? 'not_allowed' : `${list === 'deny' ? 'deny' : 'require_approval'}:${pattern}`;
  const name = rule === undefined ? ofList : argumentRuleOf(rule);
  const hit = isShadow ? hits.ofShadow(name) : hits.of(name);
  return { hits: hit?.hits ?? 0, lastHitMs: hit?.lastMs, lastHit: hit?.last };
}
