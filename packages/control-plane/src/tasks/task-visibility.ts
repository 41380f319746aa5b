// The tasks of a caller: their own, for entries that their profile shows.
import { splitId } from '@portico/catalog-core';
import { isVisible, type Viewer } from '@portico/policy-engine';
import type { Caller } from '../call/call.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget } from '../state/target.js';
import { isSeen } from '../state/visibility.js';
import type { Task } from './task.js';

/** A task whose tool the policy denies to the role by now stays a task: its result is removed when it is shown. */
export function isOwnTask(state: PlaneState, caller: Caller, task: Task): boolean {
  if (task.principal !== caller.principal) return false;
  if (seesAll(caller)) return true;
  const { kind, capabilityId } = task;
  const target = findTarget(state, kind, capabilityId);
  const server = target?.server ?? splitId(capabilityId)?.server;
  if (server === undefined || state.view(caller)?.hasServer(server) !== true) return false;
  const names = target?.names ?? [[capabilityId]];
  return isVisible(state.policy.decide(caller, names)) || !isSeen(state, kind, capabilityId, roleOf(caller));
}

/** A viewer of everything has every task of their own, which the store can list. */
export function seesAll({ profile, role }: Viewer): boolean {
  return profile === null && role === null;
}

/** The view of the role without the profile. */
export function roleOf({ role }: Viewer): Viewer {
  return { profile: null, role };
}

/** A page of what is wanted, where that cannot be asked of the store. @param read gives a part of everything */
export async function pageOfSome<T>(
  { limit, offset }: { readonly limit: number; readonly offset: number },
  read: (part: { readonly limit: number; readonly offset: number }) => Promise<readonly T[]>,
  isWanted: (entry: T) => boolean,
): Promise<{ readonly page: readonly T[]; readonly total: number }> {
  const page: T[] = [];
  let total = 0;
  for (let from = 0; ; from += atATime) {
    const part = await read({ limit: atATime, offset: from });
    for (const entry of part.filter(isWanted)) {
      if (total >= offset && page.length < limit) page.push(entry);
      total += 1;
    }
    if (part.length < atATime) return { page, total };
  }
}

const atATime = 100;
