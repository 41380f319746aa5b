// Grants as operators see them.
import { type GrantWire, gatherExact } from '@portico/contracts';
import { endOf, freeOf, isLocalRole } from '@portico/policy-engine';
import type { ConfigAuthor } from '../audit/change-draft.js';
import { kept } from '../call/failures.js';
import type { PlaneState } from '../state/plane-state.js';
import { shownConditions } from './grant-conditions.js';
import { type Standing, standingIn } from './grant-standing.js';
import { type GrantStore, maxListedGrants, type StoredGrant } from './grant-store.js';
import type { Grants } from './grants.js';

export interface GrantListQuery {
  readonly state: 'active' | 'ended' | 'all';
  readonly limit: number;
  readonly offset: number;
}

export type Revocation =
  | { readonly kind: 'revoked'; readonly grant: GrantWire }
  /** It answers no call any more; its state is the reason. */
  | { readonly kind: 'ended'; readonly grant: GrantWire }
  | { readonly kind: 'unknown' };

export interface GrantService {
  /** Newest first; `total` counts all that match of the newest 10,000. */
  list(query: GrantListQuery): Promise<{ readonly grants: readonly GrantWire[]; readonly total: number }>;
  get(id: string): Promise<GrantWire | undefined>;
  /** Calls that it answered and that have not started ask a person. */
  revoke(id: string, by: ConfigAuthor): Promise<Revocation>;
}

export interface GrantServiceDeps {
  readonly store: GrantStore;
  readonly grants: Pick<Grants, 'revoke' | 'isInUse'>;
  readonly epochMs: () => number;
  readonly state: () => PlaneState;
}

export function createGrantService({ store, grants, epochMs, state }: GrantServiceDeps): GrantService {
  const show = (grant: StoredGrant) => toWire(grant, state(), standingIn(state(), epochMs())(grant));
  return {
    async list({ state: wanted, limit, offset }) {
      const open = wanted === 'active' ? { openAtMs: epochMs() } : {};
      const found = await kept(store.list({ ...open, limit: maxListedGrants }));
      const now = state();
      const standing = standingIn(now, epochMs());
      const shown = (grants: readonly StoredGrant[]) =>
        grants.slice(offset, offset + limit).map((grant) => toWire(grant, now, standing(grant)));
      if (wanted === 'all') return { grants: shown(found), total: found.length };
      const matching = found.filter((grant) => (standing(grant).state === 'active') === (wanted === 'active'));
      return { grants: shown(matching), total: matching.length };
    },
    async get(id) {
      const grant = await kept(store.get(id));
      return grant && show(grant);
    },
    async revoke(id, by) {
      const grant = await kept(store.get(id));
      if (grant === undefined) return { kind: 'unknown' };
      // A call that has taken the last use may still wait to be sent.
      if (endOf(grant, epochMs()) !== undefined && !grants.isInUse(id)) return { kind: 'ended', grant: show(grant) };
      const name = by.identity.actor ?? 'operator';
      const revoked = await grants.revoke(id, by, name);
      if (revoked === undefined) return { kind: 'ended', grant: show((await kept(store.get(id))) ?? grant) };
      return { kind: 'revoked', grant: show(revoked) };
    },
  };
}

const secs = (ms: number) => Math.floor(ms / 1000);

function toWire(grant: StoredGrant, state: PlaneState, standing: Standing): GrantWire {
  const redactor = state.policy.redactorOf(grant.role);
  const { redactText } = redactor;
  const { revokedAtMs, revokedBy, lastUsedAtMs, client } = grant;
  return gatherExact({
    grant_id: grant.id,
    kind: grant.kind,
    capability_id: grant.kind === 'resource' ? redactText(grant.capabilityId) : grant.capabilityId,
    server_id: grant.serverId,
    profile: grant.profile,
    role: grant.role !== null && isLocalRole(grant.role) ? null : grant.role, // no role of the configuration
    actor: grant.actor,
    client: client === null ? null : redactText(client),
    definition_digest: grant.definitionDigest,
    conditions: shownConditions(grant.conditions, redactor),
    free: freeOf(grant).map(redactor.maskText),
    uses: grant.uses,
    uses_left: grant.usesLeft,
    created_at: secs(grant.createdAtMs),
    expires_at: secs(grant.expiresAtMs),
    issued_by: redactText(grant.issuedBy),
    approval_id: grant.approvalId,
    ...standing,
    ...(revokedAtMs === null ? {} : { revoked_at: secs(revokedAtMs) }),
    ...(revokedBy === null ? {} : { revoked_by: redactText(revokedBy) }),
    ...(lastUsedAtMs === null ? {} : { last_used_at: secs(lastUsedAtMs) }),
  });
}
