// The verdict on a call, for an operator who writes rules: by the steps of a call itself, up to the point where it
// would be sent or held. Nothing is run and nothing recorded.
import { type ErrorCode, errorTable, type JsonObject, nearOnes, PorticoError } from '@portico/contracts';
import { isStricter, type PolicyDecision, type Viewer, withoutMark } from '@portico/policy-engine';
import { CallFailure, type CallKind } from '../call/call.js';
import type { Target } from '../call/target.js';
import { prepare } from '../execution/steps/prepare.js';
import type { ArgumentValidator } from '../execution/steps/validate-arguments.js';
import { nearHint, nearIds } from '../state/near-ids.js';
import { permit, rulesCovering } from '../state/permit.js';
import type { PlaneState } from '../state/plane-state.js';
import { layersOf, type Names, placesOf, profileAsked, shadowLayers } from '../state/policy-layers.js';
import { findTarget, resolve, ruleOf } from '../state/target.js';
import { namesOf } from '../state/visibility.js';
import { type ArgumentTrial, redactedPaths } from './try-arguments.js';
import { type RuleTrial, tryRules } from './try-rules.js';

export interface PolicyTrial {
  readonly kind: CallKind;
  /** Canonical id or alias, listed or not. */
  readonly id: string;
  readonly profile: string | null;
  readonly role: string | null;
  /** Absent leaves the arguments out of it. */
  readonly args?: JsonObject | undefined;
}

export interface PolicyVerdict extends RuleTrial {
  /** Rules on arguments that decide on a call, if no arguments were given: as records name them. */
  readonly dependsOn: readonly string[];
  /** The decision on a call: a thing outside the profile, or that `allow` does not cover, does not exist. */
  readonly effect: 'runs' | 'waits_for_approval' | 'denied' | 'not_found';
  /** Every name that the rules were tried on. */
  readonly names: readonly string[];
  /** Whether its server's lists have been read: what a server lists that has not been is not known. */
  readonly isKnown: boolean;
  /** The verdict of the shadow rules, if they are stricter. */
  readonly shadow: RuleTrial | undefined;
  readonly args: ArgumentTrial | undefined;
  /** The answer to its caller; undefined if it is sent to its server. */
  readonly answer: TrialAnswer | undefined;
  /** Ids that an unknown one may have been meant for. */
  readonly near: readonly string[];
}

export interface TrialAnswer {
  /** HTTP status. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

const effects: Readonly<Record<PolicyDecision['kind'], PolicyVerdict['effect']>> = {
  allow: 'runs',
  require_approval: 'waits_for_approval',
  deny: 'denied',
  not_allowed: 'not_found',
};

/** @throws PorticoError INVALID_ARGS for a role or profile that there is not */
export function tryPolicy(state: PlaneState, validator: ArgumentValidator, trial: PolicyTrial): PolicyVerdict {
  const { kind, id, args } = trial;
  const viewer = viewerOf(state, trial);
  const target = attempt(() => resolve(state, viewer, kind, id)); // as the call does
  const isReached = !(target instanceof CallFailure);
  const found = isReached ? target : findTarget(state, kind, id);
  const isOutside = !isReached && found !== undefined;
  const names = found?.names ?? namesOf(state, kind, id);
  const byNames = state.policy.decide(viewer, names);
  const reached = isReached ? permitted(state, viewer, trial, target) : target;
  const sent =
    reached instanceof CallFailure || args === undefined ? undefined : prepared(state, validator, reached, args);
  const tried = isReached && sent?.args !== undefined ? tryRules(state, viewer, id, target, sent.args) : undefined;
  const failure = reached instanceof CallFailure ? reached : (sent?.failure ?? tried?.refusal);
  const decided = tried?.decided ?? {
    decision: byNames,
    rule: 'pattern' in byNames ? ruleOf(byNames) : undefined,
    places: placesOf(layersOf(state.config, viewer), byNames, names),
  };
  const { decision } = decided;
  return {
    ...decided,
    effect: isReached ? effects[decision.kind] : 'not_found',
    names: [...new Set(names.flat().map(withoutMark))],
    ...(isOutside ? { places: [`profiles.${profileAsked(state.config, viewer)}.servers`] } : {}),
    dependsOn: reached instanceof CallFailure || args !== undefined ? [] : rulesCovering(state, viewer, names),
    isKnown: found !== undefined && state.servers.has(found.server),
    shadow: shadowTrial(state, viewer, names, decision) ?? tried?.onTrial,
    args: args === undefined ? undefined : { ...redactionOf(state, trial.role, args), ...fitOf(sent) },
    answer: answerOf(state, viewer, trial, failure, decided),
    near: found === undefined && kind === 'tool' ? nearOf(state, id) : [],
  };
}

/** @throws PorticoError INVALID_ARGS for a role or profile that there is not, with those that it may have been meant for */
export function viewerOf(state: PlaneState, { profile, role }: Viewer): Viewer {
  const { config, policy } = state;
  if (policy.roleRules(role) === undefined) {
    const near = didYouMean(role ?? '', [...(config.rbac?.roles.keys() ?? [])]);
    throw new PorticoError('INVALID_ARGS', `role: there is no role "${role}"${near}`);
  }
  const viewer = { profile, role };
  if (state.view(viewer) === undefined) {
    const who = role === null ? '' : ` that the role "${role}" has`;
    const near = didYouMean(profile ?? '', [...config.profiles.keys()]);
    throw new PorticoError('INVALID_ARGS', `profile: there is no profile "${profile}"${who}${near}`);
  }
  return viewer;
}

function didYouMean(name: string, known: readonly string[]): string {
  const near = nearOnes(name, known);
  return near.length === 0 ? '' : `; did you mean ${near.map((each) => JSON.stringify(each)).join(' or ')}?`;
}

/** The decision of the rules, or the failure that ends the call. */
function permitted(state: PlaneState, viewer: Viewer, { kind, id }: PolicyTrial, target: Target): Target | CallFailure {
  return attempt(() => {
    permit(state, { kind, id, caller: { ...viewer, actor: null } }, target);
    return target;
  });
}

function attempt<T>(work: () => T): T | CallFailure {
  try {
    return work();
  } catch (error) {
    if (error instanceof CallFailure) return error;
    throw error;
  }
}

interface Sent {
  /** As they would be sent; undefined if they do not fit. */
  readonly args: JsonObject | undefined;
  readonly failure: CallFailure | undefined;
  readonly isChecked: boolean;
  readonly converted: readonly string[];
}

function prepared(state: PlaneState, validator: ArgumentValidator, target: Target, args: JsonObject): Sent {
  const { servers } = state.config;
  const made = attempt(() => prepare(validator, servers, target, args));
  const isOff = servers.get(target.server)?.argumentChecks === 'off';
  const isChecked = target.kind === 'tool' ? target.tool !== undefined && !isOff : state.servers.has(target.server);
  if (made instanceof CallFailure) return { args: undefined, failure: made, isChecked: true, converted: [] };
  return { args: made.args, failure: undefined, isChecked, converted: made.coerced ?? [] };
}

function fitOf(sent: Sent | undefined): Pick<ArgumentTrial, 'fits' | 'problem' | 'converted'> {
  if (sent === undefined) return { fits: 'unknown', problem: undefined, converted: [] };
  const { failure, isChecked, converted } = sent;
  if (failure !== undefined) return { fits: 'no', problem: failure.message, converted };
  return { fits: isChecked ? 'yes' : 'unknown', problem: undefined, converted };
}

function redactionOf({ policy }: PlaneState, role: string | null, args: JsonObject) {
  const redactor = policy.redactorOf(role);
  return { redacted: redactedPaths(redactor, args), sanitized: redactor.sanitize(args) };
}

function shadowTrial(
  { config, policy }: PlaneState,
  viewer: Viewer,
  names: Names,
  inForce: PolicyDecision,
): PolicyVerdict['shadow'] {
  const decision = policy.shadow?.(viewer, names);
  if (decision === undefined || !isStricter(decision, inForce)) return undefined;
  const places = placesOf(shadowLayers(layersOf(config, viewer)), decision, names);
  return { decision, rule: 'pattern' in decision ? ruleOf(decision) : undefined, places };
}

function answerOf(
  state: PlaneState,
  viewer: Viewer,
  { kind, id }: PolicyTrial,
  failure: CallFailure | undefined,
  { decision, rule }: Pick<PolicyVerdict, 'decision' | 'rule'>,
): TrialAnswer | undefined {
  if (failure !== undefined) {
    const { code, message } = failure;
    const hint = failure.hint ?? (code === 'TOOL_NOT_FOUND' ? nearHint(state.view(viewer), id) : undefined);
    return { status: errorTable[code].status, code, message, hint };
  }
  if (decision.kind !== 'require_approval') return undefined;
  const message = `the rule "${rule}" holds it until a person has decided`;
  return { status: kind === 'tool' ? errorTable.APPROVAL_PENDING.status : 403, code: 'APPROVAL_PENDING', message };
}

/** Ids of all listed entries: the operator may see them, even if the caller of the trial may not. */
function nearOf({ servers }: PlaneState, id: string): readonly string[] {
  return nearIds({ capabilities: [...servers.values()].flatMap(({ capabilities }) => capabilities) }, id);
}
