// Approval tickets in the state database. Whoever settles or starts one says what it must be beforehand, in the same
// statement; so of several at once, in however many processes, one wins.
import type { TicketDraft, TicketStore } from '@portico/control-plane';
import type { Kysely } from 'kysely';
import type { StateDatabase } from './database.js';
import type { Tables } from './tables.js';
import { hasId, isUnfinished, toRef, toRow, toTicket } from './ticket-rows.js';

export function createTicketStore({ reads, write }: StateDatabase): TicketStore {
  return {
    open: (draft) => write((trx) => open(trx, draft)),
    async get(id) {
      const row = await reads.selectFrom('approvals').selectAll().where(hasId(id)).executeTakeFirst();
      return row && toTicket(row);
    },
    async findByKey(principal, key) {
      const row = await reads
        .selectFrom('approvals')
        .selectAll()
        .where('principal', '=', principal)
        .where('key', '=', key)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toTicket(row);
    },
    list: ({ status, principal, limit, offset }) =>
      reads
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (trx) => {
          let matching = trx.selectFrom('approvals');
          if (status !== undefined) matching = matching.where('status', '=', status);
          if (principal !== undefined) matching = matching.where('principal', '=', principal);
          const { total } = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow();
          const rows = await matching.selectAll().orderBy('seq', 'desc').limit(limit).offset(offset).execute();
          return { tickets: rows.map(toTicket), total: Number(total) };
        }),
    async unfinished() {
      const rows = await reads
        .selectFrom('approvals')
        .select(['seq', 'status', 'principal', 'correlation', 'key', 'fingerprint', 'created_at_ms', 'expires_at_ms'])
        .select(({ fn, ref }) => fn<number>('length', [ref('args')]).as('args_length'))
        .where(isUnfinished)
        .orderBy('seq')
        .execute();
      const refs = (isPending: boolean) => rows.filter(({ status }) => (status === 'pending') === isPending).map(toRef);
      return { pending: refs(true), approved: refs(false) };
    },
    settle: (id, status) =>
      write(async (trx) => {
        const row = await trx
          .updateTable('approvals')
          .set({ status: status.status, decision: JSON.stringify(status) })
          .where(hasId(id))
          .where('status', '=', 'pending')
          .returningAll()
          .executeTakeFirst();
        return row && toTicket(row);
      }),
    startRun: (id) =>
      write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('approvals')
          .set({ run_state: 'started' })
          .where(hasId(id))
          .where('status', '=', 'approved')
          .where('run_state', '=', 'none')
          .executeTakeFirstOrThrow();
        return numUpdatedRows === 1n;
      }),
    finishRun: (id, result) =>
      write(async (trx) => {
        await trx
          .updateTable('approvals')
          .set({ run_state: 'finished', result })
          .where(hasId(id))
          .where('run_state', '!=', 'finished')
          .execute();
      }),
    purge: (createdBeforeMs) =>
      write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('approvals')
          .where('created_at_ms', '<', createdBeforeMs)
          .where((eb) => eb.not(isUnfinished(eb)))
          .executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
  };
}

type Opened = Awaited<ReturnType<TicketStore['open']>>;

async function open(trx: Kysely<Tables>, draft: TicketDraft): Promise<Opened> {
  const inserted = await trx
    .insertInto('approvals')
    .values(toRow(draft))
    .onConflict((conflict) => conflict.doNothing()) // its key has a pending one: see 002-approvals
    .returningAll()
    .executeTakeFirst();
  if (inserted !== undefined) return { ticket: toTicket(inserted), isNew: true };
  const pending = await trx
    .selectFrom('approvals')
    .selectAll()
    .where('principal', '=', draft.principal)
    .where('key', '=', draft.key?.key ?? null)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return pending === undefined ? open(trx, draft) : { ticket: toTicket(pending), isNew: false }; // settled in between
}
