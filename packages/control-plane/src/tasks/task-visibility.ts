// Which tasks a caller has: their own, of what the profile shows that they come through.
import { splitId } from '@portico/catalog-core';
import { isVisible, type Viewer } from '@portico/policy-engine';
import type { Caller } from '../call/call.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget } from '../state/target.js';
import { isSeen } from '../state/visibility.js';
import type { Task } from './task.js';

/** What policy denies the whole role by now stays a task: its result is taken out of sight where it is shown. */
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

/** Whoever sees everything has every task of their own, which the store can list. */
export function seesAll({ profile, role }: Viewer): boolean {
  return profile === null && role === null;
}

/** What the role sees without the profile. */
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
