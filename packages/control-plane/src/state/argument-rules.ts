// The rules on arguments of a configuration: those of the policy, of the profile and of the role of a call are one list.
import {
  type ArgumentRule,
  type Config,
  type JsonObject,
  type PolicyRules,
  PorticoError,
  type Role,
} from '@portico/contracts';
import { type ArgumentRules, type ArgumentVerdict, compileArgumentRules, type RoleSet } from '@portico/policy-engine';
import type { Caller } from '../call/call.js';
import type { Target } from '../call/target.js';

/** Returns the rules that apply to a call. @param args as they will be sent */
export interface JudgeArguments {
  (caller: Pick<Caller, 'profile' | 'role' | 'actor'>, target: Target, args: JsonObject): ArgumentVerdict;
  /** The rules that cover an entry for a caller, whether or not they apply to a call. */
  covering(caller: Pick<Caller, 'profile' | 'role'>, names: readonly (readonly string[])[]): readonly ArgumentRule[];
}

interface Layers {
  readonly policy: PolicyRules;
  readonly profiles: Config['profiles'];
  readonly roles: ReadonlyMap<string, Role>;
}

/**
 * Undefined if there are none. @throws PorticoError INVALID_ARGS for a condition that does not compile, which
 * `conditionIssues` finds before
 */
export function compilePlaneRules(
  { policy, profiles, roles }: Layers,
  { profileOf }: Pick<RoleSet, 'profileOf'>,
): JudgeArguments | undefined {
  const common = policy.rules ?? [];
  const ofProfiles = new Map([...profiles].map(([id, own]) => [id, own.policy?.rules ?? []] as const));
  const ofRoles = new Map([...roles].map(([name, own]) => [name, own.rules ?? []] as const));
  const all = [common, ...ofProfiles.values(), ...ofRoles.values()].flat();
  if (all.length === 0) return undefined;
  compile(all); // a condition that does not compile is found here, not at the first call
  const known = new Map<string, ArgumentRules>();
  const rulesFor = ({ profile, role }: Pick<Caller, 'profile' | 'role'>): ArgumentRules => {
    const ofProfile = ofProfiles.get(profileOf({ profile, role }) ?? '') ?? [];
    const ofRole = ofRoles.get(role ?? '') ?? [];
    const key = [...ofProfile, ...ofRole].map(({ id }) => id).join(); // ids have no comma
    const made = known.get(key) ?? compile([...common, ...ofProfile, ...ofRole]);
    known.set(key, made);
    return made;
  };
  const judge = (caller: Pick<Caller, 'profile' | 'role' | 'actor'>, target: Target, args: JsonObject) => {
    const { kind, id, server, names } = target;
    const { profile, role, actor } = caller;
    return rulesFor(caller).judge(names, { args, id, server, kind, role, profile, actor });
  };
  return Object.assign(judge, {
    covering: (caller: Pick<Caller, 'profile' | 'role'>, names: readonly (readonly string[])[]) =>
      rulesFor(caller).covering(names),
  });
}

function compile(rules: readonly ArgumentRule[]): ArgumentRules {
  const compiled = compileArgumentRules(rules);
  if (!compiled.ok) throw new PorticoError('INVALID_ARGS', compiled.problems.map(({ problem }) => problem).join('; '));
  return compiled.rules;
}
