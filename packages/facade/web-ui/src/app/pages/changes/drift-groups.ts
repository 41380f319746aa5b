// Differences by server, and which of them may be accepted together. Only computations.
import { type DriftView, driftSeverity, type FindingView } from '@portico/contracts';

/** The most definitions in one dialog: more cannot be reviewed at once. */
export const mostAtOnce = 200;

/** By server, in the order of the answer. */
export function byServer(drifts: readonly DriftView[]): ReadonlyMap<string, readonly DriftView[]> {
  const groups = new Map<string, DriftView[]>();
  for (const drift of drifts) {
    const group = groups.get(drift.server_id);
    if (group === undefined) groups.set(drift.server_id, [drift]);
    else group.push(drift);
  }
  return groups;
}

/**
 * Returns the changes that are neither dangerous nor too long to be shown; the others are accepted one by one. A server
 * that is not in the lock has none without the change of the server itself.
 */
export function acceptableTogether(drifts: readonly DriftView[], unlocked: Unlocked): readonly DriftView[] {
  const together = drifts.filter((drift) => driftSeverity(drift.class) !== 'dangerous' && isShownWhole(drift));
  const named = new Set(together.filter(({ kind }) => kind === 'server').map(({ server_id: id }) => id));
  return together.filter(({ server_id: id }) => !unlocked.has(id) || named.has(id));
}

/** Ids of servers that are not in the lock: a definition of one is accepted with the server. */
export type Unlocked = ReadonlySet<string>;

export function unlockedOf(servers: readonly { readonly id: string; readonly locked: boolean }[]): Unlocked {
  return new Set(servers.filter(({ locked }) => !locked).map(({ id }) => id));
}

/** Returns a change, and before it the one of its server where that has to be accepted as well. */
export function withItsServer(
  drift: DriftView,
  drifts: readonly DriftView[],
  unlocked: Unlocked,
): readonly DriftView[] {
  const server = unlocked.has(drift.server_id)
    ? drifts.find(({ kind, server_id: id }) => kind === 'server' && id === drift.server_id)
    : undefined;
  return server === undefined || server === drift ? [drift] : [server, drift];
}

/** Whether a person who sees its changes sees all of them. */
export function isShownWhole({ changes }: DriftView): boolean {
  return changes.every(({ truncated }) => truncated !== true);
}

/** Returns the changes that no longer exist as they were shown. */
export function changedSince(shown: readonly DriftView[], current: readonly DriftView[]): readonly DriftView[] {
  const now = new Map(current.map(({ id, digest }) => [id, digest]));
  return shown.filter(({ id, digest }) => now.get(id) !== digest);
}

/** The findings in the definition of a drift. */
export function findingsOf(drift: DriftView, findings: readonly FindingView[]): readonly FindingView[] {
  const { kind, server_id: server, name } = drift;
  return findings.filter((each) => each.kind === kind && each.server_id === server && each.name === name);
}

/** The name of a file, of a path with either separator. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
