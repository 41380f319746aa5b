// The lock as people read it.
import { digestOf } from '@portico/canonical-json';
import { type DriftView, type LockAcceptRequest, type LockDrift, PorticoError } from '@portico/contracts';
import {
  acceptInto,
  type Drift,
  type Finding,
  findingsIn,
  goneServer,
  ServerNotAccepted,
  type ToolsLock,
  verdictOf,
} from '@portico/tools-lock';
import type { Clock } from '@portico/upstream-pool';
import { listedServer } from '../state/lock-verdicts.js';
import type { PlaneState } from '../state/plane-state.js';
import { inShares } from './load-lock.js';

/** Characters of one text of a change; a reader that wants more reads the file and the server. */
const maxText = 100_000;
/** Findings that one answer has at most. */
const maxFindings = 2000;

/** For all servers, including locked ones that are not configured. */
export function allDrifts({ lock, config }: PlaneState): readonly Drift[] {
  const { lock: locked } = lock.loaded;
  return [...goneServers(locked, config), ...[...lock.servers.values()].flatMap(({ drifts }) => drifts)];
}

/** Digest of what differs. Computed once for each state of the lock: programs poll it. */
export function createRevision(): (state: PlaneState) => string {
  let last: { readonly lock: PlaneState['lock']; readonly revision: string } | undefined;
  return (state) => {
    if (last?.lock !== state.lock) {
      const differing = allDrifts(state).map((drift) => `${drift.id} ${acceptedDigest(drift)}`);
      last = { lock: state.lock, revision: digestOf(differing) };
    }
    return last.revision;
  };
}

export function goneServers(lock: ToolsLock, { servers }: PlaneState['config']): readonly Drift[] {
  return [...lock].filter(([id]) => !servers.has(id)).map(([id, server]) => goneServer(id, server));
}

export function driftView(drift: Drift, isHeld: boolean): DriftView {
  const { id, kind, server: server_id, name, class: found, formerName, changes } = drift;
  return {
    id,
    kind,
    server_id,
    name,
    class: found,
    held: isHeld,
    digest: acceptedDigest(drift),
    ...(formerName === undefined ? {} : { former_name: formerName }),
    changes: changes.map(({ before, after, ...change }) => {
      const isLong = [before, after].some((text) => text !== null && text.length > maxText);
      const cut = (text: string | null) => text?.slice(0, maxText) ?? null;
      return { ...change, before: cut(before), after: cut(after), ...(isLong ? { truncated: true } : {}) };
    }),
  };
}

/** The digest in an acceptance: a removed definition has none. */
export function acceptedDigest({ digest }: Drift): string {
  return digest ?? 'removed';
}

export function verdictIn(isUsable: boolean, drifts: readonly Drift[]): LockDrift['verdict'] {
  return isUsable ? verdictOf(drifts.map((drift) => drift.class)) : 2;
}

/** For all servers, or for one. */
export async function findingViews(
  { config, servers }: PlaneState,
  server: string | undefined,
  clock: Clock,
): Promise<LockDrift['findings']> {
  const listed = new Map([...servers].map(([id, entries]) => [id, listedServer(config, id, entries)]));
  const found: Finding[] = [];
  await inShares(
    clock,
    (function* () {
      for (const finding of findingsIn(listed)) {
        if (finding === undefined) yield;
        else if (server === undefined || finding.server === server) found.push(finding);
        if (found.length >= maxFindings) return;
      }
    })(),
  );
  return found.map(({ server: server_id, ...finding }) => ({ ...finding, server_id }));
}

/** The reviewed definition has changed since. */
export class DriftMoved extends PorticoError {
  constructor(ids: readonly string[]) {
    const named = ids.slice(0, 5).map((id) => `"${id}"`);
    super('INVALID_ARGS', `nothing was accepted: ${named.join(', ')} changed since it was reviewed; review it again`);
  }
}

/** @throws DriftMoved if one of them is another by now */
export function selectReviewed(drifts: readonly Drift[], { items }: LockAcceptRequest): readonly Drift[] {
  const byId = new Map(drifts.map((drift) => [drift.id, drift]));
  const moved = items.filter(({ id, digest }) => {
    const drift = byId.get(id);
    return drift === undefined || acceptedDigest(drift) !== digest;
  });
  if (moved.length > 0) throw new DriftMoved(moved.map(({ id }) => id));
  return [...new Set(items.map(({ id }) => id))].flatMap((id) => byId.get(id) ?? []);
}

/** As `acceptInto`. @throws PorticoError INVALID_ARGS for a definition whose server has to be accepted with it */
export function acceptReviewed(...acceptance: Parameters<typeof acceptInto>): ToolsLock {
  try {
    return acceptInto(...acceptance);
  } catch (error) {
    if (!(error instanceof ServerNotAccepted)) throw error;
    throw new PorticoError('INVALID_ARGS', `nothing was accepted: ${error.message}`);
  }
}
