// Whether a grant answers calls now, and if not, why.
import type { GrantState, GrantVoidReason } from '@portico/contracts';
import { endOf } from '@portico/policy-engine';
import type { PlaneState } from '../state/plane-state.js';
import type { StoredGrant } from './grant-store.js';
import { definitionNow } from './ticket-definition.js';

export interface Standing {
  readonly state: GrantState;
  readonly void_reason?: GrantVoidReason;
}

type DigestOf = (grant: StoredGrant) => string | undefined;

/** Judges many grants at one moment: the definition of each capability is digested once. @param nowMs since the Unix epoch */
export function standingIn(state: PlaneState, nowMs: number): (grant: StoredGrant) => Standing {
  const digests = new Map<string, string | undefined>();
  const digestOf: DigestOf = ({ kind, capabilityId }) => {
    const key = `${kind} ${capabilityId}`;
    if (!digests.has(key)) digests.set(key, definitionNow(state, kind, capabilityId)?.digest);
    return digests.get(key);
  };
  return (grant) => {
    const ended = endOf(grant, nowMs);
    if (ended !== undefined) return { state: ended };
    const why = voidReasonOf(grant, state, digestOf);
    return why === undefined ? { state: 'active' } : { state: 'void', void_reason: why };
  };
}

/** A server whose lists are unread may still list the same definition. */
function voidReasonOf(grant: StoredGrant, state: PlaneState, digestOf: DigestOf): GrantVoidReason | undefined {
  if (state.policy.grants?.policyDigest !== grant.policyDigest) return 'policy_changed';
  if (!state.config.servers.has(grant.serverId)) return 'server_removed';
  if (!state.servers.has(grant.serverId)) return undefined;
  return digestOf(grant) === grant.definitionDigest ? undefined : 'definition_changed';
}
