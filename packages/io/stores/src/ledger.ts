// The ledger of executions in the state database. Every change goes through the write queue, so that it is durable
// when its promise resolves.
import type { Intent, Interrupted, Ledger, LedgerRecord } from '@portico/idempotency';
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import type { StateDatabase } from './database.js';
import type { ExecutionRow, Tables } from './tables.js';

export function createLedger({ reads, write }: StateDatabase): Ledger {
  return {
    begin: (intent) => write((trx) => begin(trx, intent)),
    complete: (scope, key, { response, completedAtMs, expiresAtMs }) =>
      write(async (trx) => {
        await trx
          .updateTable('executions')
          .set({ response, completed_at_ms: completedAtMs, expires_at_ms: expiresAtMs })
          .where('scope', '=', scope)
          .where('key', '=', key)
          .execute();
      }),
    forget: (scope, key) =>
      write(async (trx) => {
        await trx.deleteFrom('executions').where('scope', '=', scope).where('key', '=', key).execute();
      }),
    countReplay: (scope, key) =>
      write(async (trx) => {
        await trx
          .updateTable('executions')
          .set((eb) => ({ replay_count: eb('replay_count', '+', 1) }))
          .where('scope', '=', scope)
          .where('key', '=', key)
          .execute();
      }),
    get: (scope, key, nowMs) => find(reads, scope, key, nowMs),
    async list(scope, { limit, offset }, nowMs) {
      const rows = await reads
        .selectFrom('executions')
        .selectAll()
        .where('scope', '=', scope)
        .where(isLive(nowMs))
        .orderBy('created_at_ms', 'desc')
        .orderBy('seq', 'desc')
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map(toRecord);
    },
    closeInterrupted: (completedAtMs, expiresAtMs) =>
      write(async (trx) => {
        const rows = await trx
          .updateTable('executions')
          .set({ completed_at_ms: completedAtMs, expires_at_ms: expiresAtMs })
          .where('completed_at_ms', 'is', null)
          .returning(['seq', 'key', 'kind', 'capability_id', 'first_trace_id'])
          .execute();
        return rows.sort((a, b) => a.seq - b.seq).map(toInterrupted);
      }),
    purge: (nowMs) =>
      write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('executions')
          .where('expires_at_ms', '<=', nowMs)
          .executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
  };
}

const maxTries = 3;

/** A record that is in the way of the intent, or undefined where the intent is written. */
async function begin(trx: Kysely<Tables>, intent: Intent): Promise<LedgerRecord | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    if (await insert(trx, intent)) return undefined;
    const found = await find(trx, intent.scope, intent.key, intent.createdAtMs);
    if (found !== undefined) return found; // else it was forgotten in between
  }
  throw new Error('the idempotency key is neither free nor used');
}

async function insert(trx: Kysely<Tables>, intent: Intent): Promise<boolean> {
  const { scope, key, createdAtMs } = intent;
  await trx
    .deleteFrom('executions')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('expires_at_ms', '<=', createdAtMs)
    .execute();
  const inserted = await trx
    .insertInto('executions')
    .values({
      scope,
      key,
      fingerprint: intent.fingerprint,
      kind: intent.kind,
      capability_id: intent.capabilityId,
      first_trace_id: intent.firstTraceId,
      created_at_ms: createdAtMs,
      completed_at_ms: null,
      expires_at_ms: null,
      response: intent.unknownResponse,
      replay_count: 0,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('seq')
    .executeTakeFirst();
  return inserted !== undefined;
}

async function find(db: Kysely<Tables>, scope: string, key: string, nowMs: number): Promise<LedgerRecord | undefined> {
  const row = await db
    .selectFrom('executions')
    .selectAll()
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where(isLive(nowMs))
    .executeTakeFirst();
  return row && toRecord(row);
}

function isLive(nowMs: number) {
  return (eb: ExpressionBuilder<Tables, 'executions'>): Expression<SqlBool> =>
    eb.or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', nowMs)]);
}

function toInterrupted(row: Pick<ExecutionRow, 'key' | 'kind' | 'capability_id' | 'first_trace_id'>): Interrupted {
  return { key: row.key, kind: row.kind, capabilityId: row.capability_id, firstTraceId: row.first_trace_id };
}

function toRecord(row: ExecutionRow): LedgerRecord {
  return {
    scope: row.scope,
    key: row.key,
    fingerprint: row.fingerprint,
    kind: row.kind,
    capabilityId: row.capability_id,
    firstTraceId: row.first_trace_id,
    createdAtMs: row.created_at_ms,
    completedAtMs: row.completed_at_ms,
    response: row.response,
    replayCount: row.replay_count,
  };
}
