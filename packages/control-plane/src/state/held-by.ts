// Why an entry of a server is absent for every caller: the lock holds it. Asked before each request to a server in
// mode `enforce`, so the names of a server are looked up and not searched through.
import { type CatalogView, type ServerEntries, splitId } from '@portico/catalog-core';
import { type Config, type ErrorReason, nothingSent } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { type Drift, driftId } from '@portico/tools-lock';
import { CallFailure, type CallKind } from '../call/call.js';
import type { LockVerdicts, ServerVerdict } from './lock-verdicts.js';
import type { PlaneState } from './plane-state.js';

export interface Held {
  readonly server: string;
  readonly reason: Extract<ErrorReason, 'definition_changed' | 'definition_unapproved'>;
  /** As a person reads it, to end the sentence "… is held: ". */
  readonly because: string;
  /** Every name that rules know it by. */
  readonly names: readonly (readonly string[])[];
}

interface Snapshot {
  readonly servers: ReadonlyMap<string, ServerEntries>;
  readonly config: Config;
}

/** Returns why an entry of a server is absent for every caller; undefined for an entry that is not held. */
export function heldBy(
  { servers: verdicts, loaded }: LockVerdicts,
  { servers, config }: Snapshot,
  kind: CallKind,
  id: string,
): Held | undefined {
  if (verdicts.size === 0) return undefined;
  const aliases = { tool: config.aliases.capability, resource: config.aliases.resource, prompt: config.aliases.prompt }[
    kind
  ];
  const canonicalId = aliases.get(id)?.target ?? id;
  const { server = '', name = '' } = splitId(canonicalId) ?? {};
  const verdict = verdicts.get(server);
  if (verdict?.mode !== 'enforce' || !servers.has(server)) return undefined;
  const own = ownDrift(verdict, kind, server, name);
  if (own === undefined && !verdict.isWhollyHeld) return undefined;
  const drift = verdict.held.get(driftId('server', server)) ?? own;
  const ownAliases = [...aliases].filter(([, alias]) => alias.target === canonicalId).map(([alias]) => alias);
  const names = [[...verdict.names.of(kind, name), canonicalId, ...ownAliases]];
  return { server, names, ...reasonOf(drift, loaded.fault) };
}

/** The failure of what the caller could use, were its definition accepted; undefined for what they could not. */
export function heldFailure(
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

export function heldDefinition(id: string, reason: ErrorReason, because: string): CallFailure {
  return new CallFailure('POLICY_DENIED', `"${id}" is held: ${because}; a person has to accept it`, nothingSent, {
    rule: 'lock:held',
    reason,
    hint: 'a repeat will not help: a person has to accept it (portico lock diff, then portico lock accept)',
  });
}

/**
 * Whether a URI that a server does not list itself matches a template of it that is held. Then it is held, also where it
 * matches other templates as well: which of them answers is up to the server.
 */
export function isHeldTemplate({ servers: verdicts }: LockVerdicts, server: string, uri: string): boolean {
  const verdict = verdicts.get(server);
  return verdict !== undefined && heldTemplate(verdict, uri) !== undefined;
}

function ownDrift(verdict: ServerVerdict, kind: CallKind, server: string, name: string): Drift | undefined {
  if (verdict.held.size === 0) return undefined;
  return kind === 'resource' ? heldTemplate(verdict, name) : verdict.held.get(driftId(kind, server, name));
}

function heldTemplate({ held, names }: ServerVerdict, uri: string): Drift | undefined {
  if (held.size === 0 || names.listsUri(uri)) return undefined;
  for (const { server, uri: template } of names.templatesOf(uri)) {
    const drift = held.get(driftId('resource_template', server, template));
    if (drift !== undefined) return drift;
  }
  return undefined;
}

function reasonOf(drift: Drift | undefined, fault: string | undefined): Pick<Held, 'reason' | 'because'> {
  if (drift === undefined) {
    const because = fault === undefined ? 'it is not compared with the lock yet' : `the lock cannot be used: ${fault}`;
    return { reason: 'definition_unapproved', because };
  }
  const what = drift.kind === 'server' ? `server "${drift.server}"` : 'its definition';
  if (drift.lockedDigest === null) return { reason: 'definition_unapproved', because: `${what} is not in the lock` };
  const fields = drift.changes.map(({ field }) => field).join(', ');
  return { reason: 'definition_changed', because: `${what} is not as it was accepted (${drift.class}: ${fields})` };
}
