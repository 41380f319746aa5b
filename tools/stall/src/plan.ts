// Plans what to stall, when and for how long. The same seed draws the same stalls; the existing processes are up to the
// run.
import type { Random } from '../../faults/src/random.js';
import { type Kind, kinds } from './kinds.js';

export interface Candidate {
  readonly pid: number;
  readonly parent: number;
  readonly kind: Kind;
}

/** `one` process, a `family` of one and all that it has started, or `all`, as when the machine sleeps. */
export type Reach = 'one' | 'family' | 'all';

export interface Stall {
  /** Since the end of the stall before. */
  readonly afterMs: number;
  readonly ms: number;
  readonly reach: Reach;
  /** From 0 to 1, for the kind of the process and for the one among those of its kind. */
  readonly kindAt: number;
  readonly processAt: number;
}

export function drawStall(random: Random): Stall {
  // Some follow closely, so that one call meets several.
  const afterMs = random.chance(0.5) ? random.between(10, 150) : random.between(150, 900);
  // Many short stalls change the order of events; a few long ones meet timeouts.
  const ms = random.chance(0.7) ? random.between(50, 400) : random.between(400, 1500);
  const drawn = random.next();
  const reach = drawn < 0.6 ? 'one' : drawn < 0.9 ? 'family' : 'all';
  return { afterMs, ms, reach, kindAt: random.next(), processAt: random.next() };
}

/** Each existing kind is as likely as another, with any number of processes. */
export function chooseProcesses(stall: Stall, candidates: readonly Candidate[]): readonly Candidate[] {
  if (stall.reach === 'all') return candidates;
  const present = kinds.filter((kind) => candidates.some((candidate) => candidate.kind === kind));
  const kind = at(present, stall.kindAt);
  const ofKind = candidates.filter((candidate) => candidate.kind === kind).sort((a, b) => a.pid - b.pid);
  const chosen = at(ofKind, stall.processAt);
  if (chosen === undefined) return [];
  return stall.reach === 'one' ? [chosen] : familyOf(chosen, candidates);
}

function familyOf(eldest: Candidate, candidates: readonly Candidate[]): readonly Candidate[] {
  const family = [eldest];
  for (const member of family) family.push(...candidates.filter(({ parent }) => parent === member.pid));
  return family;
}

function at<T>(values: readonly T[], share: number): T | undefined {
  return values[Math.min(Math.floor(share * values.length), values.length - 1)];
}
