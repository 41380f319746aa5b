// What somebody is told of a change: names that their view may hold, and nothing of the rest.
import { splitId } from '@portico/catalog-core';
import type { Viewer } from '@portico/policy-engine';
import type { CallKind } from '../call.js';
import type { PlaneState } from '../plane-state.js';
import { findTarget } from '../steps/resolve.js';
import type { UpdateEvent } from '../updates.js';
import { isSeen } from '../visibility.js';

const kinds: readonly CallKind[] = ['tool', 'resource', 'prompt'];

/**
 * Whether the id of a thing may be told to somebody, also when it is no longer there. Where tools, resources and
 * prompts could be meant, all of them must be allowed.
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
    const isAllowed = (found.length === 0 ? kinds : found).every((kind) => isSeen(state, kind, canonicalId, viewer));
    return isAllowed && state.policy.decide(viewer, [[id, canonicalId]]).kind !== 'deny';
  });
}

/** The event as the viewer may hear it; undefined where it is not for them. */
export function narrowUpdate(state: PlaneState, viewer: Viewer, event: UpdateEvent): UpdateEvent | undefined {
  if (viewer.role === null && viewer.profile === null) return event;
  const view = state.view(viewer);
  if (view === undefined) return undefined;
  if (event.kind === 'resource_updated') {
    const { server, uri } = event.data;
    return mayName(state, viewer, `${server}.${uri}`) ? event : undefined;
  }
  const { data } = event;
  const told = (ids: readonly string[]) => ids.filter((id) => mayName(state, viewer, id));
  const added = told(data.added);
  const removed = told(data.removed);
  const updated = told(data.updated);
  const servers = data.servers.filter((server) => view.showsServer(server));
  const isOfIds = data.added.length + data.removed.length + data.updated.length > 0;
  const isEmpty = isOfIds ? added.length + removed.length + updated.length === 0 : servers.length === 0;
  return isEmpty ? undefined : { ...event, data: { ...data, added, removed, updated, servers } };
}
