// Resolves an id or alias to its target, and checks that the caller may use it. Entries outside their view do not
// exist.
import { type Catalog, type CatalogView, type ResourceEntry, splitId } from '@portico/catalog-core';
import {
  type ErrorCode,
  type ErrorReason,
  isUriTooLong,
  type Limits,
  nothingSent,
  type RetryMetadata,
} from '@portico/contracts';
import { isStricter, type PolicyDecision, type Viewer } from '@portico/policy-engine';
import { CallFailure, type CallKind } from '../call/call.js';
import type { Target } from '../call/target.js';
import { serversWithUri } from './bare-uri.js';
import { heldBy, isHeldTemplate } from './held-by.js';
import { rulesOf } from './lock-verdicts.js';
import type { Decide } from './plane-policy.js';
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

/** The failure of what the caller could use, were its definition accepted; undefined for what they could not. */
function heldFailure(
  state: PlaneState,
  viewer: Viewer,
  view: CatalogView,
  kind: CallKind,
  id: string,
): CallFailure | undefined {
  const held = heldBy(state.lock, state, kind, id);
  if (held === undefined || !view.hasServer(held.server)) return undefined;
  const { kind: decided } = state.policy.decide(viewer, held.names);
  if (decided === 'not_allowed' || decided === 'deny') return undefined;
  return heldDefinition(id, held.reason, held.because);
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

export function heldDefinition(id: string, reason: ErrorReason, because: string): CallFailure {
  return new CallFailure('POLICY_DENIED', `"${id}" is held: ${because}; a person has to accept it`, nothingSent, {
    rule: 'lock:held',
    reason,
    hint: 'a repeat will not help: a person has to accept it (portico lock diff, then portico lock accept)',
  });
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
  readonly caller: Viewer;
}

export type Permission = Extract<PolicyDecision, { readonly kind: 'allow' | 'require_approval' }>;

/** A rule as records name it. */
export function ruleOf({ kind, pattern }: Extract<PolicyDecision, { readonly pattern: string }>): string {
  return `${kind}:${pattern}`;
}

/**
 * Asks the policy, by every name of the target.
 * @throws CallFailure POLICY_DENIED, or the kind's not-found code where `allow` does not cover the target
 */
export function authorize({ policy }: PlaneState, { kind, id, caller }: Asking, target: Target): Permission {
  const decision = policy.decide(caller, target.names);
  switch (decision.kind) {
    case 'not_allowed':
      throw notFound(kind, id);
    case 'deny': {
      const message = `policy denies "${id}": the deny rule "${decision.pattern}" covers it`;
      throw new CallFailure('POLICY_DENIED', message, nothingSent, { rule: ruleOf(decision) });
    }
    case 'allow':
    case 'require_approval':
      return decision;
  }
}

/**
 * The result of the shadow rules for a call that the rules in force allow, as records name it: `<effect>:<pattern>`, or
 * `not_allowed`. Undefined if they would have been no stricter.
 */
export function shadowOf(
  decide: Decide,
  { caller }: Pick<Asking, 'caller'>,
  target: Target,
  permission: Permission,
): string | undefined {
  const decision = decide(caller, target.names);
  if (!isStricter(decision, permission)) return undefined;
  return 'pattern' in decision ? ruleOf(decision) : decision.kind;
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
