// Resolves an id or alias to its target, and gives the verdict of the rules on it. Entries outside the view of the caller
// do not exist.
import { type Catalog, type CatalogView, type ResourceEntry, splitId } from '@portico/catalog-core';
import {
  type ErrorCode,
  type ErrorReason,
  isUriTooLong,
  type JsonObject,
  type Limits,
  nothingSent,
  type RetryMetadata,
} from '@portico/contracts';
import type { ArgumentVerdict, PolicyDecision, RuleMet, Viewer } from '@portico/policy-engine';
import { type Caller, CallFailure, type CallKind } from '../call/call.js';
import type { Target } from '../call/target.js';
import { serversWithUri } from './bare-uri.js';
import { heldBy, heldFailure, isHeldTemplate } from './held-by.js';
import { rulesOf } from './lock-verdicts.js';
import type { PlaneState } from './plane-state.js';
import { findUiPage, serversNaming } from './ui-resources.js';

export const notFoundCodes: Readonly<Record<CallKind, ErrorCode>> = {
  tool: 'TOOL_NOT_FOUND',
  resource: 'RESOURCE_NOT_FOUND',
  prompt: 'PROMPT_NOT_FOUND',
};

const nouns: Readonly<Record<CallKind, string>> = { tool: 'capability', resource: 'resource', prompt: 'prompt' };

/**
 * The catalog as a viewer sees it. @throws CallFailure with the kind's not-found code for a profile that it does not
 * have
 */
export function resolveView(state: PlaneState, viewer: Viewer, kind: CallKind): CatalogView {
  const view = state.view(viewer);
  if (view === undefined) throw noProfile(viewer, kind);
  return view;
}

function noProfile({ profile }: Viewer, kind: CallKind): CallFailure {
  return new CallFailure(notFoundCodes[kind], `no profile "${profile}"`);
}

/** @throws CallFailure with the kind's not-found code, or INVALID_ARGS for a URI that is too long */
export function resolve(state: PlaneState, viewer: Viewer, kind: CallKind, id: string): Target {
  if (kind === 'resource' && isBeyondBounds(state, id))
    throw new CallFailure('INVALID_ARGS', describeTooLong(state.config.limits));
  const view = state.view(viewer);
  if (view === undefined) throw noProfile(viewer, kind);
  const target = findTarget(state, kind, id) ?? (kind === 'resource' ? findByUri(state, view, id) : undefined);
  if (target === undefined) throw heldFailure(state, viewer, view, kind, id) ?? notFound(kind, id);
  if (!view.hasServer(target.server)) throw notFound(kind, id);
  return target;
}

/**
 * Gives the reason why a call whose turn has come is not sent: the lock holds its target by now, or a server in mode
 * `enforce` does not list it. Undefined if the call may be sent.
 */
export function withheldBy(
  state: PlaneState,
  { server, kind, id }: Pick<Target, 'server' | 'kind' | 'id'>,
): string | undefined {
  const held = heldBy(state.lock, state, kind, id);
  if (held !== undefined) return `"${id}" is held: ${held.because}; a person has to accept it`;
  if (rulesOf(state.config, server).mode !== 'enforce') return undefined;
  if (state.servers.has(server) && findTarget(state, kind, id) !== undefined) return undefined;
  return `"${id}" is held: server "${server}" does not list it, so it cannot be compared with the lock`;
}

/** The target of a URI without a server id, if one server has it. @throws CallFailure RESOURCE_NOT_FOUND */
function findByUri(state: PlaneState, view: CatalogView, uri: string): Target | undefined {
  const page = findUiPage(state, view, uri);
  if (page !== undefined) return findTarget(state, 'resource', `${page.server}.${page.uri}`);
  const { servers, isListed } = serversWithUri(state, view, uri);
  const [server, ...others] = servers;
  if (server === undefined) return undefined;
  if (others.length === 0) return findTarget(state, 'resource', `${server}.${uri}`);
  if (!isListed) return undefined;
  const ids = servers.map((each) => JSON.stringify(`${each}.${uri}`)).join(', ');
  throw new CallFailure('RESOURCE_NOT_FOUND', `several servers have the resource "${uri}"; use one of ${ids}`);
}

/** The parts of a request that the rules check. */
export interface Asking {
  readonly kind: CallKind;
  /** As it was asked for. */
  readonly id: string;
  readonly caller: Pick<Caller, 'profile' | 'role' | 'actor'>;
}

/** The verdict of the rules; `rule` is the one that decides, as records name it. */
export type Verdict = Permission | Refusal;

export type Permission =
  | { readonly verdict: 'allow'; readonly shadow?: string | undefined }
  | { readonly verdict: 'require_approval'; readonly rule: string; readonly shadow?: string | undefined };

export type Refusal =
  | {
      readonly verdict: 'deny';
      readonly rule: string;
      readonly reason?: ErrorReason;
      readonly message: string;
      readonly hint?: string;
    }
  /** `allow` does not cover it. */
  | { readonly verdict: 'not_found' };

const allowed: Verdict = Object.freeze({ verdict: 'allow' });
const absent: Verdict = Object.freeze({ verdict: 'not_found' });

/** A rule as records name it. */
export function ruleOf({ kind, pattern }: Extract<PolicyDecision, { readonly pattern: string }>): string {
  return `${kind}:${pattern}`;
}

/** A rule on arguments as records name it. */
export function argumentRuleOf({ id }: RuleMet['rule']): string {
  return `rule:${id}`;
}

/**
 * Asks the policy, by every name of the target.
 * @param args as they will be sent; undefined leaves the rules on arguments out
 */
export function authorize(
  { policy }: PlaneState,
  { id, caller }: Omit<Asking, 'kind'>,
  target: Target,
  args?: JsonObject,
): Verdict {
  const decision = policy.decide(caller, target.names);
  if (decision.kind === 'not_allowed') return absent;
  if (decision.kind === 'deny') {
    const message = `policy denies "${id}": the deny rule "${decision.pattern}" covers it`;
    return { verdict: 'deny', rule: ruleOf(decision), message };
  }
  const judged = args === undefined ? undefined : policy.argumentRules?.(caller, target, args);
  if (judged?.inForce?.rule.effect === 'deny') return toDenial(id, judged.inForce);
  if (decision.kind === 'allow' && judged === undefined) return allowed;
  const rule = judged?.inForce !== undefined ? argumentRuleOf(judged.inForce.rule) : ruleIn(decision);
  const shadow = judged && trialOf(judged, rule !== undefined);
  return rule === undefined ? { verdict: 'allow', shadow } : { verdict: 'require_approval', rule, shadow };
}

export function ruleIn(decision: PolicyDecision): string | undefined {
  return 'pattern' in decision ? ruleOf(decision) : undefined;
}

/** The rule on trial, if it would have been stricter. */
function trialOf({ onTrial }: ArgumentVerdict, isGated: boolean): string | undefined {
  if (onTrial === undefined || (isGated && onTrial.rule.effect === 'requireApproval')) return undefined;
  return argumentRuleOf(onTrial.rule);
}

function toDenial(id: string, { rule, because }: RuleMet): Verdict {
  const why = because === undefined ? 'applies' : `applies, since its condition has no value: ${because}`;
  return {
    verdict: 'deny',
    rule: argumentRuleOf(rule),
    reason: 'argument_rule',
    message: `policy denies "${id}" with these arguments: the rule "${rule.id}" ${why}`,
    hint: rule.reason ?? 'the same arguments are refused again: change them, or ask the operator',
  };
}

/**
 * Retry metadata of an attempt: reads are safe, a tool is if it declares so, and under a key it is the same execution.
 */
export function retryOf(
  { kind, tool }: Target,
  isKeyed: boolean,
  state: RetryMetadata['upstream_execution_state'],
): RetryMetadata {
  if (state === 'not_started') return nothingSent;
  const isRead = kind !== 'tool' || tool?.annotations?.readOnlyHint === true;
  const isIdempotent = isKeyed || tool?.annotations?.idempotentHint === true;
  return { classification: isRead ? 'safe' : isIdempotent ? 'idempotent' : 'unsafe', upstream_execution_state: state };
}

/** Ids of resources are URIs, whose readings take time; before them stands an id of a server, which is short. */
export function isBeyondBounds({ config }: PlaneState, id: string): boolean {
  return isUriTooLong(id, config.limits.uriCharacters);
}

const describeTooLong = ({ uriCharacters }: Limits) =>
  `the id of the resource is longer than ${uriCharacters} percent-encoded characters (limits.uriCharacters)`;

/** The target of an id, in the view of any user. */
export function findTarget(state: PlaneState, kind: CallKind, id: string): Target | undefined {
  if (kind === 'resource' && isBeyondBounds(state, id)) return undefined;
  return lookUp[kind](state, id) ?? unreadServer(state, kind, id);
}

export function notFound(kind: CallKind, id: string, hint?: string): CallFailure {
  return new CallFailure(notFoundCodes[kind], `no ${nouns[kind]} "${id}"`, nothingSent, { hint });
}

const lookUp: Readonly<Record<CallKind, (state: PlaneState, id: string) => Target | undefined>> = {
  tool({ catalog }, id) {
    const entry = catalog.findCapability(id);
    if (entry === undefined) return undefined;
    const { server, canonicalId: own, names, tool, definition, digest } = entry;
    return { kind: 'tool', server, id: own, entry: own, names: [names], name: tool, tool: definition, digest };
  },
  resource({ catalog, lock }, id) {
    const found = catalog.findResource(id);
    if (found === undefined) return pageTarget(catalog, id);
    const { entry, uri } = found;
    if (uri !== entry.uri && isHeldTemplate(lock, entry.server, uri)) return undefined;
    return resourceTarget(catalog, entry, uri);
  },
  prompt({ catalog }, id) {
    const entry = catalog.findPrompt(id);
    if (entry === undefined) return undefined;
    const { server, canonicalId: own, names, name, definition, digest } = entry;
    return { kind: 'prompt', server, id: own, entry: own, names: [names], name, prompt: definition, digest };
  },
};

/**
 * A resource that a server lists under its own spelling has one list of names; one that only matches a template is
 * spelt by the caller.
 */
function resourceTarget(
  catalog: Catalog,
  { server, canonicalId, uri: listed, names, digest }: ResourceEntry,
  uri: string,
): Target {
  const spellings = uri === listed ? [names] : catalog.resourceNames(server, uri);
  return { kind: 'resource', server, id: `${server}.${uri}`, entry: canonicalId, names: spellings, name: uri, digest };
}

/** A page that no list has, as a tool of its server names it. */
function pageTarget(catalog: Catalog, id: string): Target | undefined {
  const { server, name } = splitId(id) ?? {};
  if (server === undefined || name === undefined) return undefined;
  if (!serversNaming(catalog.capabilities, [name]).has(server)) return undefined;
  return { kind: 'resource', server, id, names: catalog.resourceNames(server, name), name };
}

/** A configured server that has not been reached yet may well have the thing: that is no "not found". */
function unreadServer({ config, catalog, servers }: PlaneState, kind: CallKind, id: string): Target | undefined {
  const aliases = { tool: config.aliases.capability, resource: config.aliases.resource, prompt: config.aliases.prompt }[
    kind
  ];
  const canonicalId = aliases.get(id)?.target ?? id;
  const parts = splitId(canonicalId);
  if (parts === undefined || !config.servers.has(parts.server) || servers.has(parts.server)) return undefined;
  const { server, name } = parts;
  const ownAliases = [...aliases].filter(([, alias]) => alias.target === canonicalId).map(([alias]) => alias);
  const spellings = kind === 'resource' ? catalog.resourceNames(server, name) : [[canonicalId]];
  return { kind, server, id: canonicalId, names: spellings.map((names) => [...names, ...ownAliases]), name };
}
