// Rules and aliases that match nothing which the servers list, so that an operator finds a misspelt one.
import { type Config, joinPath, type PolicyRules, uiUrisIn } from '@portico/contracts';
import { compilePatterns } from '@portico/policy-engine';
import type { PlaneState } from '../state/plane-state.js';
import { allLayers, shadowLayers } from '../state/policy-layers.js';
import { namesOf } from '../state/visibility.js';

export interface UnmatchedRule {
  /** Field of the configuration, as `policy.deny[0]`. */
  readonly path: string;
  /** The pattern, or the target of an alias. */
  readonly pattern: string;
}

interface Rule extends UnmatchedRule {
  readonly role: 'allows' | 'narrows';
}

/** Comparisons of a pattern with a name for one answer, about 50 ms of them. Later rules are not judged. */
const maxComparisons = 1_000_000;

/**
 * Judges no rule that may match what is not known: of a server that has not been read, by an alias as well, or the URIs of
 * a server with resource templates.
 */
export function unmatchedRules(state: PlaneState): readonly UnmatchedRule[] {
  const { config, servers } = state;
  const unread = [...config.servers.keys()].filter((id) => !servers.has(id));
  const templated = [...servers].filter(([, { resources }]) => resources.some((entry) => entry.template !== undefined));
  const names = [...allNames(state), ...aliasesOf(config, unread)];
  const canJudge = ({ pattern }: Rule) =>
    !unread.some((id) => mayName(pattern, `${id}.`)) &&
    !(pattern.includes(':') && templated.some(([id]) => mayName(pattern, `${id}.`)));
  const rules = [...policyRules(config), ...aliasRules(config)].filter(canJudge);
  return rules
    .slice(0, Math.ceil(maxComparisons / Math.max(1, names.length)))
    .filter(({ pattern, role }) => {
      const { match } = compilePatterns([pattern], role);
      return !names.some((name) => match(name) !== undefined);
    })
    .map(({ path, pattern }) => ({ path, pattern }));
}

/** Whether some name with this beginning may match the pattern. */
function mayName(pattern: string, beginning: string): boolean {
  const [literal = ''] = pattern.split('*');
  return pattern.includes('*')
    ? beginning.startsWith(literal) || literal.startsWith(beginning)
    : literal.startsWith(beginning);
}

/** Aliases of what these servers may have. */
function aliasesOf({ aliases }: Config, servers: readonly string[]): readonly string[] {
  return Object.values(aliases).flatMap((ofKind) =>
    [...ofKind].filter(([, { target }]) => servers.some((id) => target.startsWith(`${id}.`))).map(([alias]) => alias),
  );
}

/**
 * Canonical ids, aliases and guard names of everything that the servers list, allowed or not, and of the pages that only
 * their tools name.
 */
function allNames(state: PlaneState): readonly string[] {
  const names = [...state.servers.values()].flatMap(({ capabilities, resources, prompts }) => [
    ...capabilities.flatMap(({ id }) => namesOf(state, 'tool', id)),
    ...capabilities.flatMap(({ server, definition }) =>
      uiUrisIn(definition._meta).flatMap((uri) => state.catalog.resourceNames(server, uri)),
    ),
    ...resources.flatMap(({ id }) => namesOf(state, 'resource', id)),
    ...prompts.flatMap(({ id }) => namesOf(state, 'prompt', id)),
  ]);
  return [...new Set(names.flat())];
}

function policyRules(config: Config): Rule[] {
  const layers = allLayers(config);
  return [
    ...[...layers, ...shadowLayers(layers)].flatMap(({ at, rules }) => rulesIn(rules, at)),
    ...layers.flatMap(({ at, rules: { rules = [] } }) =>
      rules.map(({ match }, index) => ({
        path: joinPath([...at, 'rules', index, 'match']),
        pattern: match,
        role: 'narrows' as const,
      })),
    ),
  ];
}

function rulesIn(rules: PolicyRules, at: readonly string[]): Rule[] {
  return (['allow', 'deny', 'requireApproval'] as const).flatMap((list) =>
    rules[list].map((pattern, index) => ({
      path: joinPath([...at, list, index]),
      pattern,
      role: list === 'allow' ? ('allows' as const) : ('narrows' as const),
    })),
  );
}

function aliasRules({ aliases }: Config): Rule[] {
  const fields = { capabilityAliases: 'capability', resourceAliases: 'resource', promptAliases: 'prompt' } as const;
  return Object.entries(fields).flatMap(([field, kind]) =>
    [...aliases[kind]].map(([name, { target }]) => ({
      path: joinPath([field, name]),
      pattern: target,
      role: 'allows' as const,
    })),
  );
}
