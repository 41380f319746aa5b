// Approval tickets in the state database. The statement that settles or starts one also says what it must be beforehand, in the same
// statement; so of several at once, in however many processes, one wins.
import { writeExact } from '@portico/contracts';
import type { TicketDraft, TicketStore } from '@portico/control-plane';
import type { Kysely } from 'kysely';
import type { StateDatabase } from './database.js';
import { isLeftBehind } from './owners.js';
import type { Tables } from './tables.js';
import { redefine, reopen } from './ticket-definitions.js';
import { hasDigest, hasId, isUnfinished, toRef, toRow, toTicket } from './ticket-rows.js';

/** Creates the store of approval tickets in the state database. */
export function createTicketStore({ reads, write, owner, signals }: StateDatabase): TicketStore {
  return {
    open: (draft) => write((trx) => open(trx, draft, owner)),
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
    claim: () => write((trx) => claim(trx, owner)),
    settle: (id, status, digest) =>
      write(async (trx) => {
        const row = await trx
          .updateTable('approvals')
          .set({ status: status.status, decision: writeExact(status), owner })
          .where(hasId(id))
          .where('status', '=', 'pending')
          .$if(digest !== undefined, (update) => update.where(hasDigest(digest ?? null)))
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) await signals.send(trx, 'approval', id);
        return row && toTicket(row);
      }),
    redefine: (...change) => write((trx) => redefine(trx, ...change)),
    reopen: (id, definition, expiresAtMs) =>
      write(async (trx) => {
        const ticket = await reopen(trx, id, { definition, expiresAtMs, owner });
        if (ticket !== undefined) await signals.send(trx, 'approval', id);
        return ticket;
      }),
    startRun: (id) =>
      write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('approvals')
          .set({ run_state: 'started', owner })
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
        await signals.send(trx, 'approval', id);
      }),
    follow: (listener) => signals.on('approval', listener),
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

async function claim(trx: Kysely<Tables>, owner: string): ReturnType<TicketStore['claim']> {
  const rows = await trx
    .updateTable('approvals')
    .set({ owner })
    .where(isUnfinished)
    .where(isLeftBehind(owner))
    .returning(['seq', 'status', 'principal', 'server_id', 'correlation', 'key', 'fingerprint'])
    .returning(['created_at_ms', 'expires_at_ms'])
    .returning(({ fn, ref }) => fn<number>('length', [ref('args')]).as('args_length'))
    .execute();
  const oldestFirst = rows.sort((a, b) => a.seq - b.seq);
  const refs = (isPending: boolean) =>
    oldestFirst.filter(({ status }) => (status === 'pending') === isPending).map(toRef);
  return { pending: refs(true), approved: refs(false) };
}

type Opened = Awaited<ReturnType<TicketStore['open']>>;

async function open(trx: Kysely<Tables>, draft: TicketDraft, owner: string): Promise<Opened> {
  const inserted = await trx
    .insertInto('approvals')
    .values({ ...toRow(draft), owner })
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
  return pending === undefined ? open(trx, draft, owner) : { ticket: toTicket(pending), isNew: false }; // settled in between
}
