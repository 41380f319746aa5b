// The verdicts of the policy on everything that the servers list, for one profile and role. Reads only.
import type { CallKind } from '../call/call.js';
import type { ArgumentValidator } from '../execution/steps/validate-arguments.js';
import type { PlaneState } from '../state/plane-state.js';
import { namedThings } from './named-things.js';
import { type PolicyTrial, type PolicyVerdict, tryPolicy, viewerOf } from './try-policy.js';
import type { Turn } from './turns.js';

export interface ListedVerdict {
  readonly kind: CallKind;
  readonly id: string;
  readonly effect: PolicyVerdict['effect'];
  /** As records name it; undefined if no single rule decides. */
  readonly rule: string | undefined;
  /** Fields of the configuration that decide, as `policy.deny[0]`. */
  readonly places: readonly string[];
  /** Rules on arguments that decide on a call, as records name them. */
  readonly dependsOn: readonly string[];
}

export interface ListedVerdicts {
  /** All checked entries, by the verdict on a call. */
  readonly counts: Readonly<Record<PolicyVerdict['effect'], number>>;
  /** All verdicts except a plain allow that no arguments change, in the order of the servers, tools first. */
  readonly verdicts: readonly ListedVerdict[];
  /** Whether everything that the servers list was looked at. */
  readonly isComplete: boolean;
}

export type VerdictViewer = Pick<PolicyTrial, 'profile' | 'role'>;

/** Things that are looked at: about a second of work where they are resources, much less for tools. */
const maxThings = 20_000;
/** Things that are judged in one piece: about a millisecond where they are resources. */
const judgedAtATime = 16;

/** @throws PorticoError INVALID_ARGS for a role or profile that there is not */
export async function listVerdicts(
  state: PlaneState,
  validator: ArgumentValidator,
  viewer: VerdictViewer,
  turn: Turn,
): Promise<ListedVerdicts> {
  viewerOf(state, viewer);
  const counts = { runs: 0, waits_for_approval: 0, denied: 0, not_found: 0 };
  const verdicts: ListedVerdict[] = [];
  let looked = 0;
  for (const { kind, id } of namedThings(state)) {
    if (looked === maxThings) break;
    if (looked % judgedAtATime === 0) await turn();
    looked += 1;
    const { effect, rule, places, dependsOn } = tryPolicy(state, validator, { kind, id, ...viewer });
    counts[effect] += 1;
    if (effect !== 'runs' || dependsOn.length > 0) verdicts.push({ kind, id, effect, rule, places, dependsOn });
  }
  return { counts, verdicts, isComplete: looked < maxThings };
}
