// The policy of a configuration, compiled once: visibility, permissions, and redaction.
import { digestOf } from '@portico/canonical-json';
import { noRules, type VisibilityRules } from '@portico/catalog-core';
import type { Config, PolicyRules, Role, SecretValues } from '@portico/contracts';
import {
  compilePolicy,
  compileRoles,
  createRedactor,
  defaultRedactKeys,
  isLocalRole,
  isVisible,
  narrow,
  type Policy,
  type PolicyDecision,
  type Redactor,
  type RoleSet,
  strictest,
  type Viewer,
} from '@portico/policy-engine';
import { compilePlaneRules, type JudgeArguments } from './argument-rules.js';
import { type CompiledGrants, compileGrants } from './grant-rules.js';
import { compileUsageRules, type UsageRules } from './usage-rules.js';

export interface PlanePolicy {
  /** The rules of every user's catalog. */
  readonly base: VisibilityRules;
  /** Redaction of values without an owner; in the log, redaction by the rules of all users. */
  /** Values that its redactors keep from view; undefined for none. */
  readonly secrets: SecretValues | undefined;
  readonly redactor: Redactor;
  /** Digest of the rules, including those of profiles and roles: SHA-256, 32 lower-case hex characters. */
  readonly digest: string;
  readonly logRedactor: Redactor;
  /** Redaction of the calls of a holder of the role. */
  redactorOf(role: string | null): Redactor;
  /** Rules that narrow a profile's view further; null for none. */
  profileRules(profile: string): VisibilityRules | null;
  /** Rules that narrow a role's view further; null for none, undefined for a role that does not exist. */
  roleRules(role: string | null): VisibilityRules | null | undefined;
  /** Whether the role may configure, decide and read the audit log. No role is the operator's. */
  isAdmin(role: string | null): boolean;
  /** As `RoleSet.profileOf`. */
  profileOf(viewer: Viewer): string | null | undefined;
  /**
   * The strictest decision over lists of names, each of which names the same entry. A caller without a view is allowed
   * nothing.
   */
  readonly decide: Decide;
  /** The same by the shadow rules alone, which decide nothing; undefined if there are none. */
  readonly shadow: Decide | undefined;
  /** The rules on arguments; undefined if there are none. */
  readonly argumentRules: JudgeArguments | undefined;
  /** How often and how much may be called; undefined without such rules. */
  readonly usage: UsageRules | undefined;
  /** Whether an approval may be kept for later calls; undefined if each is for one call. */
  readonly grants: CompiledGrants | undefined;
}

export type Decide = (viewer: Viewer, names: readonly (readonly string[])[]) => PolicyDecision;

/** @param secrets values to redact in records beside those of redacted keys */
export function compilePlanePolicy(config: Config, secrets?: SecretValues): PlanePolicy {
  const { policy, profiles, rbac } = config;
  const { redactKeys, approvalTimeoutSecs } = policy;
  const roles: ReadonlyMap<string, Role> = rbac?.roles ?? new Map();
  const { base, ofProfiles, roleSet, decide } = compileLayers(policy, profiles, roles);
  const keys = redactKeys ?? defaultRedactKeys;
  const redactor = createRedactor(keys, secrets);
  const redactors = new Map<string | null, Redactor>();
  const visibility = new Map<string, VisibilityRules>();
  for (const [name, role] of roles) {
    if (role.redactKeys.length > 0) redactors.set(name, createRedactor([...keys, ...role.redactKeys], secrets));
    const own = roleSet.policyOf(name);
    if (own !== undefined) visibility.set(name, hasRules(role) ? toVisibility(own, role) : noRules);
  }
  const allKeys = [...keys, ...[...roles.values()].flatMap((role) => role.redactKeys)];
  const digest = digestOfRules(policy, profiles, roles);
  const isDefault = !hasRules(policy) && redactKeys === null;
  return {
    base: isDefault ? noRules : toVisibility(base, policy, { redactKeys, approvalTimeoutSecs }),
    secrets,
    redactor,
    digest,
    logRedactor: redactors.size === 0 ? redactor : createRedactor(allKeys, secrets),
    redactorOf: (role) => redactors.get(role) ?? redactor,
    profileRules: (profile) => ofProfiles.get(profile)?.rules ?? null,
    roleRules: (role) => (role === null || isLocalRole(role) ? null : visibility.get(role)),
    isAdmin: (role) => role === null || roles.get(role)?.isAdmin === true,
    profileOf: roleSet.profileOf,
    decide,
    shadow: compileShadow(policy, profiles, roles),
    argumentRules: compilePlaneRules({ policy, profiles, roles }, roleSet),
    usage: compileUsageRules(config),
    grants: compileGrants(policy, digest),
  };
}

interface Layers {
  readonly base: Policy;
  /** Rules of those that have their own: these alone, and together with the common ones. */
  readonly ofProfiles: ReadonlyMap<string, { readonly rules: VisibilityRules; readonly narrowed: Policy }>;
  readonly roleSet: RoleSet;
  readonly decide: Decide;
}

function compileLayers(rules: PolicyRules, profiles: Config['profiles'], roles: ReadonlyMap<string, Role>): Layers {
  const base = compilePolicy(rules);
  const ofProfiles = new Map<string, { readonly rules: VisibilityRules; readonly narrowed: Policy }>();
  for (const [id, { policy }] of profiles) {
    if (policy === null) continue;
    const own = compilePolicy(policy);
    ofProfiles.set(id, { rules: toVisibility(own, policy), narrowed: narrow(base, own) });
  }
  const roleSet = compileRoles(roles);
  const decide: Decide = (viewer, names) => {
    const profile = roleSet.profileOf(viewer);
    if (profile === undefined) return { kind: 'not_allowed' };
    const inForce = (profile === null ? undefined : ofProfiles.get(profile)?.narrowed) ?? base;
    const ofRole = viewer.role === null ? undefined : roleSet.policyOf(viewer.role);
    const [only] = names; // most things are spelt one way
    if (names.length === 1 && only !== undefined && ofRole === undefined) return inForce.decide(only);
    return decideAll(ofRole === undefined ? [inForce] : [inForce, ofRole], names);
  };
  return { base, ofProfiles, roleSet, decide };
}

/** As the rules would decide, were they those on trial. Undefined if there are none. */
function compileShadow(
  policy: PolicyRules,
  profiles: Config['profiles'],
  roles: ReadonlyMap<string, Role>,
): Decide | undefined {
  const all = [policy, ...[...profiles.values()].map((profile) => profile.policy), ...roles.values()];
  if (all.every((rules) => rules?.shadow === undefined)) return undefined;
  return compileLayers(
    policy.shadow ?? noLists,
    new Map([...profiles].map(([id, profile]) => [id, { ...profile, policy: profile.policy?.shadow ?? null }])),
    new Map([...roles].map(([name, role]) => [name, { ...role, ...(role.shadow ?? noLists) }])),
  ).decide;
}

const noLists: PolicyRules = Object.freeze({ allow: [], deny: [], requireApproval: [] });

function decideAll(policies: readonly Policy[], names: readonly (readonly string[])[]): PolicyDecision {
  return strictest(names.flatMap((each) => policies.map((policy) => policy.decide(each))));
}

function toVisibility(
  policy: Policy,
  { allow, deny, requireApproval }: PolicyRules,
  more: object = {},
): VisibilityRules {
  const lists = { allow: ordered(allow), deny: ordered(deny), requireApproval: ordered(requireApproval) };
  return {
    digestible: { ...lists, ...more },
    isVisible: (names) => isVisible(policy.decide(names)),
  };
}

function digestOfRules(policy: PolicyRules, profiles: Config['profiles'], roles: ReadonlyMap<string, Role>): string {
  const rulesOf = ({ allow, deny, requireApproval, rules = [] }: PolicyRules) => {
    const inForce = rules.filter(({ shadow }) => !shadow).map((rule) => ({ ...rule }));
    const lists = [allow, deny, requireApproval].map(ordered);
    return inForce.length === 0 ? lists : [...lists, inForce];
  };
  const ofProfiles = [...profiles].map(([id, own]) => [id, own.policy && rulesOf(own.policy)]);
  const ofRoles = [...roles].map(([name, role]) => [name, [...rulesOf(role), role.profile, role.isAdmin]]);
  return digestOf([rulesOf(policy), Object.fromEntries(ofProfiles), Object.fromEntries(ofRoles)]).slice(0, 32);
}

/** The order of patterns and their repetition mean nothing. */
function ordered(patterns: readonly string[]): string[] {
  return [...new Set(patterns)].sort();
}

function hasRules({ allow, deny, requireApproval }: PolicyRules): boolean {
  return allow.length + deny.length + requireApproval.length > 0;
}
