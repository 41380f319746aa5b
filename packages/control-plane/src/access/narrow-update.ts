// Reduces a change event to the names that the viewer may see.
import { splitId } from '@portico/catalog-core';
import type { Viewer } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';
import type { UpdateEvent } from '../catalog/updates.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget } from '../state/target.js';
import { namesOf } from '../state/visibility.js';

const kinds: readonly CallKind[] = ['tool', 'resource', 'prompt'];

/**
 * Whether an event for the viewer may contain the id of an entry that is listed, or was until now. A rule that removes
 * an entry for every user does not hide its removal: the event reports it. An id that may name a tool, a resource or a
 * prompt must be allowed by the narrowing rules of all three.
 */
export function mayName(state: PlaneState, viewer: Viewer, id: string): boolean {
  const view = state.view(viewer);
  const { capability, resource, prompt } = state.config.aliases;
  const targets = [capability, resource, prompt].flatMap((aliases) => aliases.get(id)?.target ?? []);
  const ids = targets.length === 0 ? [id] : targets;
  return ids.every((canonicalId) => {
    const server = splitId(canonicalId)?.server;
    if (view === undefined || server === undefined || !view.hasServer(server)) return false;
    const found = kinds.filter((kind) => findTarget(state, kind, canonicalId)?.entry !== undefined);
    const names = (found.length === 0 ? kinds : found).flatMap((kind) => namesOf(state, kind, canonicalId));
    return names.every((each) => isWithin(state, viewer, [...new Set([...each, id])]));
  });
}

/** Checks only the rules that the viewer's role and profile add to the policy. */
function isWithin({ policy }: PlaneState, viewer: Viewer, names: readonly string[]): boolean {
  const profile = policy.profileOf(viewer);
  const ofRole = policy.roleRules(viewer.role);
  if (profile === undefined || ofRole === undefined) return false;
  const ofProfile = profile === null ? null : policy.profileRules(profile);
  return [ofRole, ofProfile].every((rules) => rules === null || rules.isVisible(names));
}

/** The event as the viewer may see it; undefined if it is not for them. */
export function narrowUpdate(state: PlaneState, viewer: Viewer, event: UpdateEvent): UpdateEvent | undefined {
  if (viewer.role === null && viewer.profile === null) return event;
  const view = state.view(viewer);
  if (view === undefined) return undefined;
  if (event.kind === 'resource_updated') {
    const { server, uri } = event.data;
    return mayName(state, viewer, `${server}.${uri}`) ? event : undefined;
  }
  const { data } = event;
  const visible = (ids: readonly string[]) => ids.filter((id) => mayName(state, viewer, id));
  const added = visible(data.added);
  const removed = visible(data.removed);
  const updated = visible(data.updated);
  const servers = data.servers.filter((server) => view.showsServer(server));
  const isOfIds = data.added.length + data.removed.length + data.updated.length > 0;
  const isEmpty = isOfIds ? added.length + removed.length + updated.length === 0 : servers.length === 0;
  return isEmpty ? undefined : { ...event, data: { ...data, added, removed, updated, servers } };
}
