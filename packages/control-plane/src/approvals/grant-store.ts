// The port to where grants are kept, and a store that lives as long as the process. A grant answers later calls like the
// one that was approved.
import { clockTolerance, endOf, type Grant } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';

export interface StoredGrant extends Grant {
  /** `grant-<Unix seconds of its creation>-<counter>`; the counter never repeats. */
  readonly id: string;
  readonly kind: CallKind;
  readonly serverId: string;
  /** Program of the approved call, as it named itself; null if that is not known. */
  readonly client: string | null;
  /** How many calls it may answer in all. */
  readonly uses: number;
  /** The approver of the call. */
  readonly issuedBy: string;
  /** The ticket of that call. */
  readonly approvalId: string;
  readonly revokedBy: string | null;
}

export type GrantDraft = Omit<StoredGrant, 'id' | 'usesLeft' | 'revokedAtMs' | 'revokedBy' | 'lastUsedAtMs'>;

/** A call looks its grants up by these: grants of another definition or policy are void. */
export type GrantSubject = Pick<Grant, (typeof subject)[number]>;

const subject = ['kind', 'principal', 'capabilityId', 'definitionDigest', 'policyDigest'] as const;

export interface GrantQuery {
  /** Only those that may still answer a call at this time, milliseconds since the Unix epoch. */
  readonly openAtMs?: number;
  /** Only those that were made under this policy. */
  readonly policyDigest?: string;
  readonly limit: number;
}

/** Everything is durable when its promise resolves. */
export interface GrantStore {
  add(draft: GrantDraft): Promise<StoredGrant>;
  get(id: string): Promise<StoredGrant | undefined>;
  /** Grants of one capability and principal that may still answer a call, the first to expire first. */
  find(call: GrantSubject, nowMs: number): Promise<readonly StoredGrant[]>;
  /** Newest first. */
  list(query: GrantQuery): Promise<readonly StoredGrant[]>;
  count(query: Omit<GrantQuery, 'limit'>): Promise<number>;
  /** Takes one use, in one step. False if it is used up, has expired or was revoked. */
  take(id: string, nowMs: number): Promise<boolean>;
  /** Undefined if it was revoked before, or is unknown. */
  revoke(id: string, by: string, nowMs: number): Promise<StoredGrant | undefined>;
  /** Removes those that expired before a moment, and returns their number. */
  purge(expiredBeforeMs: number): Promise<number>;
}

/** How far the clock may be behind that of another daemon, milliseconds. */
export const grantClockToleranceMs = clockTolerance;

/** Most grants that may be active at one time. */
export const maxOpenGrants = 1000;

/** Most grants that a list looks at, the newest ones. */
export const maxListedGrants = 10_000;

/** Creates a store of grants in memory; they end with the process. */
export function createMemoryGrantStore(): GrantStore {
  const kept = new Map<string, StoredGrant>();
  let counter = 0;
  const replace = (grant: StoredGrant): StoredGrant => {
    kept.set(grant.id, grant);
    return grant;
  };
  const matching = ({ openAtMs, policyDigest }: Omit<GrantQuery, 'limit'>) =>
    [...kept.values()]
      .reverse()
      .filter((grant) => openAtMs === undefined || endOf(grant, openAtMs) === undefined)
      .filter((grant) => policyDigest === undefined || grant.policyDigest === policyDigest);

  return {
    async add(draft) {
      counter += 1;
      const id = `grant-${Math.floor(draft.createdAtMs / 1000)}-${counter}`;
      return replace({
        ...draft,
        id,
        usesLeft: draft.uses,
        revokedAtMs: null,
        revokedBy: null,
        lastUsedAtMs: null,
      });
    },
    get: async (id) => kept.get(id),
    find: async (call, nowMs) =>
      [...kept.values()]
        .filter((grant) => subject.every((part) => grant[part] === call[part]) && endOf(grant, nowMs) === undefined)
        .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
        .slice(0, maxOpenGrants),
    list: async ({ limit, ...query }) => matching(query).slice(0, limit),
    count: async (query) => matching(query).length,
    async take(id, nowMs) {
      const grant = kept.get(id);
      if (grant === undefined || endOf(grant, nowMs) !== undefined) return false;
      replace({ ...grant, usesLeft: grant.usesLeft - 1, lastUsedAtMs: latest(grant.lastUsedAtMs, nowMs) });
      return true;
    },
    async revoke(id, by, nowMs) {
      const grant = kept.get(id);
      if (grant === undefined || grant.revokedAtMs !== null) return undefined;
      return replace({ ...grant, revokedAtMs: nowMs, revokedBy: by });
    },
    async purge(expiredBeforeMs) {
      const old = [...kept.values()].filter(({ expiresAtMs }) => expiresAtMs < expiredBeforeMs);
      for (const { id } of old) kept.delete(id);
      return old.length;
    },
  };
}

/** The time of the last use never goes back: by it, a clock that does is found. */
function latest(before: number | null, nowMs: number): number {
  return Math.max(before ?? nowMs, nowMs);
}
