// Grants in the state database. The statement that takes a use also says what the grant must be beforehand; so of several
// calls at once, in however many processes, no more are answered than it has uses.
import { createHash } from 'node:crypto';
import { parseExact, parseJson, writeExact } from '@portico/contracts';
import {
  type GrantDraft,
  type GrantQuery,
  type GrantStore,
  type GrantSubject,
  grantClockToleranceMs,
  maxOpenGrants,
  type StoredGrant,
} from '@portico/control-plane';
import { type ExpressionBuilder, type Insertable, sql } from 'kysely';
import type { StateDatabase } from './database.js';
import { parseRowId, toRowId } from './row-ids.js';
import type { GrantRow, GrantsTable, Tables } from './tables.js';

type Where = ExpressionBuilder<Tables, 'grants'>;

/** Creates the store of grants in the state database. */
export function createGrantStore({ reads, write }: StateDatabase): GrantStore {
  return {
    add: (draft) =>
      write(async (trx) => {
        const row = await trx.insertInto('grants').values(toRow(draft)).returningAll().executeTakeFirstOrThrow();
        return toGrant(row);
      }),
    async get(id) {
      const row = await reads.selectFrom('grants').selectAll().where(hasId(id)).executeTakeFirst();
      return row && toGrant(row);
    },
    async find(call, nowMs) {
      const rows = await reads
        .selectFrom('grants')
        .selectAll()
        .where('subject', '=', subjectOf(call))
        .where('definition_digest', '=', call.definitionDigest)
        .where('policy_digest', '=', call.policyDigest)
        .where(isOpenAt(nowMs))
        .orderBy('expires_at_ms')
        .orderBy('seq')
        .limit(maxOpenGrants)
        .execute();
      return rows.map(toGrant);
    },
    async list({ limit, ...query }) {
      const rows = await reads
        .selectFrom('grants')
        .selectAll()
        .where(matches(query))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toGrant);
    },
    async count(query) {
      const counted = reads.selectFrom('grants').select(({ fn }) => fn.countAll().as('total'));
      return Number((await counted.where(matches(query)).executeTakeFirstOrThrow()).total);
    },
    take: (id, nowMs) =>
      write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('grants')
          .set((eb) => ({
            uses_left: eb('uses_left', '-', 1),
            // It never goes back: by it, a clock that does is found.
            last_used_at_ms: sql<number>`case when last_used_at_ms > ${nowMs} then last_used_at_ms else ${nowMs} end`,
          }))
          .where(hasId(id))
          .where(isOpenAt(nowMs))
          .executeTakeFirstOrThrow();
        return numUpdatedRows === 1n;
      }),
    revoke: (id, by, nowMs) =>
      write(async (trx) => {
        const row = await trx
          .updateTable('grants')
          .set({ revoked_at_ms: nowMs, revoked_by: by })
          .where(hasId(id))
          .where('revoked_at_ms', 'is', null)
          .returningAll()
          .executeTakeFirst();
        return row && toGrant(row);
      }),
    purge: (expiredBeforeMs) =>
      write(
        async (trx) => {
          const expired = trx.deleteFrom('grants').where('expires_at_ms', '<', expiredBeforeMs);
          return Number((await expired.executeTakeFirstOrThrow()).numDeletedRows);
        },
        { isLazy: true },
      ),
  };
}

function matches({ openAtMs, policyDigest }: Omit<GrantQuery, 'limit'>) {
  return (eb: Where) =>
    eb.and([
      ...(openAtMs === undefined ? [] : [isOpenAt(openAtMs)(eb)]),
      ...(policyDigest === undefined ? [] : [eb('policy_digest', '=', policyDigest)]),
    ]);
}

/** As `endOf` of the policy engine. */
function isOpenAt(nowMs: number) {
  const known = nowMs + grantClockToleranceMs;
  return (eb: Where) =>
    eb.and([
      eb('revoked_at_ms', 'is', null),
      eb('uses_left', '>', 0),
      eb('expires_at_ms', '>', nowMs),
      eb('created_at_ms', '<=', known),
      eb.or([eb('last_used_at_ms', 'is', null), eb('last_used_at_ms', '<=', known)]),
    ]);
}

function hasId(id: string) {
  return (eb: Where) => {
    const found = parseRowId('grant', id);
    if (found === undefined) return eb.lit(false);
    return eb.and([
      eb('seq', '=', found.seq),
      eb('created_at_ms', '>=', found.fromMs),
      eb('created_at_ms', '<', found.fromMs + 1000),
    ]);
  };
}

/** A call looks its grants up by this digest: ids of resources are too long for an index. */
function subjectOf({ kind, principal, capabilityId }: GrantSubject): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, principal, capabilityId]))
    .digest('hex');
}

function toRow(draft: GrantDraft): Insertable<GrantsTable> {
  return {
    kind: draft.kind,
    capability_id: draft.capabilityId,
    server_id: draft.serverId,
    principal: draft.principal,
    subject: subjectOf(draft),
    definition_digest: draft.definitionDigest,
    policy_digest: draft.policyDigest,
    conditions: writeExact(draft.conditions),
    names: JSON.stringify(draft.names),
    issued_by: draft.issuedBy,
    approval_id: draft.approvalId,
    profile: draft.profile,
    role: draft.role,
    actor: draft.actor,
    client: draft.client,
    uses: draft.uses,
    uses_left: draft.uses,
    created_at_ms: draft.createdAtMs,
    expires_at_ms: draft.expiresAtMs,
    revoked_at_ms: null,
    revoked_by: null,
    last_used_at_ms: null,
  };
}

/** The JSON of a row is what `toRow` has written, so it is what its type says. */
function toGrant(row: GrantRow): StoredGrant {
  return {
    id: toRowId('grant', row),
    kind: row.kind,
    capabilityId: row.capability_id,
    serverId: row.server_id,
    principal: row.principal,
    profile: row.profile,
    role: row.role,
    actor: row.actor,
    client: row.client,
    definitionDigest: row.definition_digest,
    policyDigest: row.policy_digest,
    conditions: parseExact(row.conditions) as unknown as StoredGrant['conditions'],
    names: parseJson(row.names),
    uses: row.uses,
    usesLeft: row.uses_left,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    issuedBy: row.issued_by,
    approvalId: row.approval_id,
    revokedAtMs: row.revoked_at_ms,
    revokedBy: row.revoked_by,
    lastUsedAtMs: row.last_used_at_ms,
  };
}
