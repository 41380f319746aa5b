// Configured servers without known definitions, as far as a viewer may use them.
import type { CatalogView } from '@portico/catalog-core';
import type { Viewer } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';
import { serversWithUri } from './bare-uri.js';
import type { PlaneState } from './plane-state.js';
import { findTarget, isBeyondBounds } from './target.js';

/** The name of a request: a canonical id, an alias, or the URI of a resource. */
export interface AskedName {
  readonly kind: CallKind;
  readonly id: string;
}

/** Ids, of all that a viewer may use, or of those that may have something under one of the names. */
export function unknownServers(
  state: PlaneState,
  viewer: Viewer,
  names: readonly AskedName[] | undefined,
): readonly string[] {
  const { config, servers } = state;
  if (servers.size === config.servers.size) return []; // each that is known is configured
  const view = state.view(viewer);
  if (view === undefined) return [];
  const all = [...config.servers.keys()].filter((id) => !servers.has(id) && view.hasServer(id));
  if (names === undefined || all.length === 0) return all;
  const isMeant = names.map((name) => whichMayHave(state, view, name));
  return all.filter((id) => isMeant.some((may) => may(id)));
}

function whichMayHave(state: PlaneState, view: CatalogView, { kind, id }: AskedName): (server: string) => boolean {
  const target = findTarget(state, kind, id);
  if (target !== undefined) return (server) => server === target.server;
  const isBareUri = kind === 'resource' && !isBeyondBounds(state, id);
  const isUnfound = isBareUri && serversWithUri(state, view, id).servers.length === 0;
  return () => isUnfound;
}
