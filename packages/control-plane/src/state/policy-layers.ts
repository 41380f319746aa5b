// The layers of rules that apply to a viewer: the common ones, those of a profile and those of a role.
import { type Config, joinPath, type PolicyRules } from '@portico/contracts';
import { compilePolicy, type PolicyDecision, type Viewer } from '@portico/policy-engine';
import type { namesOf } from './visibility.js';

export type Names = ReturnType<typeof namesOf>;

export interface Layer {
  /** In the configuration: `policy`, `profiles.<id>.policy`, `rbac.roles.<name>`. */
  readonly at: readonly string[];
  readonly rules: PolicyRules;
}

/** The profile that a viewer looks through, by its own name or that of its role; null for none. */
export function profileAsked({ rbac }: Config, { profile, role }: Viewer): string | null {
  return profile ?? (role === null ? undefined : rbac?.roles.get(role)?.profile) ?? null;
}

/** All rules that count for a viewer. */
export function layersOf(config: Config, viewer: Viewer): readonly Layer[] {
  const { policy, profiles, rbac } = config;
  const { role } = viewer;
  const roleRules = role === null ? undefined : rbac?.roles.get(role);
  const asked = profileAsked(config, viewer);
  const own = asked === null ? undefined : profiles.get(asked)?.policy;
  return [
    { at: ['policy'], rules: policy },
    ...(asked !== null && own ? [{ at: ['profiles', asked, 'policy'], rules: own }] : []),
    ...(role === null || roleRules === undefined ? [] : [{ at: ['rbac', 'roles', role], rules: roleRules }]),
  ];
}

/** All rules of a configuration, of every layer. */
export function allLayers({ policy, profiles, rbac }: Config): readonly Layer[] {
  return [
    { at: ['policy'], rules: policy },
    ...[...profiles].flatMap(([id, { policy: own }]) =>
      own === null ? [] : [{ at: ['profiles', id, 'policy'], rules: own }],
    ),
    ...[...(rbac?.roles ?? [])].map(([name, rules]) => ({ at: ['rbac', 'roles', name], rules })),
  ];
}

/** The rules on trial in place of those in force, with their places. */
export function shadowLayers(layers: readonly Layer[]): readonly Layer[] {
  return layers.flatMap(({ at, rules: { shadow } }) =>
    shadow === undefined ? [] : [{ at: [...at, 'shadow'], rules: shadow }],
  );
}

/** Fields of the configuration that hold what decided: `policy.deny[0]`; of `not_allowed` the lists that do not cover it. */
export function placesOf(layers: readonly Layer[], decision: PolicyDecision, names: Names): readonly string[] {
  switch (decision.kind) {
    case 'allow':
      return [];
    case 'not_allowed':
      return layers
        .filter(({ rules: { allow } }) => allow.length > 0 && !covers(allow, names))
        .map(({ at }) => joinPath([...at, 'allow']));
    case 'deny':
    case 'require_approval': {
      const list = decision.kind === 'deny' ? 'deny' : 'requireApproval';
      return layers.flatMap(({ at, rules }) => {
        const index = rules[list].indexOf(decision.pattern);
        return index < 0 ? [] : [joinPath([...at, list, index])];
      });
    }
  }
}

/** Whether a list of `allow` lets the thing through by every way to spell it. */
export function covers(allow: readonly string[], names: Names): boolean {
  const policy = compilePolicy({ allow, deny: [], requireApproval: [] });
  return names.every((each) => policy.decide(each).kind === 'allow');
}
