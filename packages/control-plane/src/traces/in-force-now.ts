// The verdict of the current configuration on a recorded call, and the rules that would have to change.
import type { AuditRecord } from '@portico/audit-chain';
import type { Config, PolicyRules, ServerInfo } from '@portico/contracts';
import type { InForce, RuleInForce } from '@portico/explain';
import type { PolicyDecision, Viewer } from '@portico/policy-engine';
import type { Caller, CallKind } from '../call/call.js';
import { rulesCovering } from '../state/permit.js';
import { compilePlanePolicy } from '../state/plane-policy.js';
import type { PlaneState } from '../state/plane-state.js';
import { covers, layersOf as layersAt, type Names, profileAsked } from '../state/policy-layers.js';
import { findTarget, notFoundCodes, ruleOf } from '../state/target.js';
import { isKnownTo, namesOf } from '../state/visibility.js';

/** Rules that are named at most: if more cover an entry, none of them alone is the reason. */
const maxLifted = 10;

/**
 * Undefined for a record without an id, and for what a viewer does not see now.
 * @param owner whose view counts; undefined for admins, who see the view of the record and the paths of its rules
 */
export function inForceNow(
  state: PlaneState,
  servers: readonly ServerInfo[],
  record: AuditRecord,
  owner: Caller | undefined,
): InForce | undefined {
  const { capability_id: id, role = null, profile = null, server_id } = record;
  if (id === undefined) return undefined;
  const kind = kindOf(state, record, id);
  const viewer = { profile, role };
  if (owner !== undefined && !isKnownTo(state, viewer, kind, id)) return undefined;
  const { config, policy } = state;
  const names = namesOf(state, kind, id);
  const decision = policy.decide(viewer, names);
  const server = server_id === undefined ? undefined : config.servers.get(server_id);
  const info = servers.find((each) => each.id === server_id);
  return {
    policyDigest: policy.digest,
    decision: decision.kind,
    rule: 'pattern' in decision ? ruleOf(decision) : undefined,
    ...(policy.argumentRules === undefined ? {} : { dependsOn: rulesCovering(state, viewer, names) }),
    toolTimeoutMs: config.toolTimeoutMs,
    approvalTimeoutSecs: config.policy.approvalTimeoutSecs,
    queuedCalls: config.limits.queuedCalls,
    circuit: info?.circuit.state,
    cooldownMs: server?.resilience.cooldownMs,
    failureThreshold: server?.resilience.failureThreshold,
    ...(owner === undefined ? pathsOf(state, viewer, names, findTarget(state, kind, id)?.server) : {}),
  };
}

function kindOf(state: PlaneState, { event_type, error_code }: AuditRecord, id: string): CallKind {
  const kinds: readonly CallKind[] = ['tool', 'resource', 'prompt'];
  const byCode = kinds.find((kind) => notFoundCodes[kind] === error_code);
  const byType = { resource_read: 'resource', prompt_get: 'prompt', tool_call: 'tool' } as const;
  const known = byCode ?? byType[event_type as keyof typeof byType];
  return known ?? kinds.find((kind) => findTarget(state, kind, id) !== undefined) ?? 'tool';
}

function pathsOf(
  { config, view }: PlaneState,
  viewer: Viewer,
  names: Names,
  server: string | undefined,
): Pick<InForce, 'lift' | 'notAllowedBy' | 'exists'> {
  const lift = rulesToLift(config, viewer, names);
  const outside = layersOf(config, viewer).filter(({ rules: { allow } }) => allow.length > 0 && !covers(allow, names));
  const isOutside = server !== undefined && viewer.profile !== null && view(viewer)?.hasServer(server) === false;
  return {
    ...(lift === undefined ? {} : { lift }),
    notAllowedBy: [
      ...outside.map(({ path }) => `${path}.allow`),
      ...(isOutside ? [`profiles.${viewer.profile}.servers`] : []),
    ],
    exists: server !== undefined,
  };
}

function layersOf(config: Config, viewer: Viewer) {
  return layersAt(config, viewer).map(({ at, rules }) => ({ path: at.join('.'), rules }));
}

/** Takes away the rule that decides until none of its effect does. Undefined if that takes too many. */
function rulesToLift(config: Config, viewer: Viewer, names: Names): RuleInForce[] | undefined {
  const lifted: RuleInForce[] = [];
  let without = config;
  const first = decide(without, viewer, names);
  for (let now = first; 'pattern' in now && now.kind === first.kind; now = decide(without, viewer, names)) {
    const { pattern } = now;
    const list = now.kind === 'deny' ? 'deny' : 'requireApproval';
    const holders = layersOf(without, viewer).filter(({ rules }) => rules[list].includes(pattern));
    if (holders.length === 0 || lifted.length === maxLifted) return undefined;
    lifted.push({ pattern, paths: holders.map(({ path }) => `${path}.${list}`) });
    without = withoutPattern(without, viewer, list, pattern);
  }
  return lifted;
}

function decide(config: Config, viewer: Viewer, names: Names): PolicyDecision {
  return compilePlanePolicy(config).decide(viewer, names);
}

function withoutPattern(config: Config, viewer: Viewer, list: 'deny' | 'requireApproval', pattern: string): Config {
  const { role } = viewer;
  const strip = <T extends PolicyRules>(rules: T): T => ({
    ...rules,
    [list]: rules[list].filter((each) => each !== pattern),
  });
  const { profiles, rbac } = config;
  const roleRules = role === null ? undefined : rbac?.roles.get(role);
  const asked = profileAsked(config, viewer);
  const own = asked === null ? undefined : profiles.get(asked);
  return {
    ...config,
    policy: strip(config.policy),
    ...(asked === null || own === undefined || own.policy === null
      ? {}
      : { profiles: new Map(profiles).set(asked, { ...own, policy: strip(own.policy) }) }),
    ...(role === null || rbac === null || roleRules === undefined
      ? {}
      : { rbac: { ...rbac, roles: new Map(rbac.roles).set(role, strip(roleRules)) } }),
  };
}
