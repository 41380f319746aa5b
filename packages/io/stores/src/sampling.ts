// Sampling tickets in the state database. Whoever settles one says in the same statement that it must be pending; so of
// several at once, in however many processes, one wins.
import type { SamplingStore } from '@portico/control-plane';
import type { StateDatabase } from './database.js';
import { hasSamplingId, samplingId, toSamplingRow, toSamplingTicket, toSettledColumns } from './sampling-rows.js';

export function createSamplingStore({ reads, write }: StateDatabase): SamplingStore {
  return {
    open: (draft) =>
      write(async (trx) => {
        const row = trx.insertInto('sampling').values(toSamplingRow(draft)).returningAll();
        return toSamplingTicket(await row.executeTakeFirstOrThrow());
      }),
    async get(id) {
      const row = await reads.selectFrom('sampling').selectAll().where(hasSamplingId(id)).executeTakeFirst();
      return row && toSamplingTicket(row);
    },
    list: ({ status, serverId, principal, limit, offset }) =>
      reads
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (trx) => {
          let matching = trx.selectFrom('sampling');
          if (status !== undefined) matching = matching.where('status', '=', status);
          if (serverId !== undefined) matching = matching.where('server_id', '=', serverId);
          if (principal !== undefined) matching = matching.where('principal', '=', principal);
          const { total } = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow();
          const rows = await matching.selectAll().orderBy('seq', 'desc').limit(limit).offset(offset).execute();
          return { tickets: rows.map(toSamplingTicket), total: Number(total) };
        }),
    async pending() {
      const rows = await reads
        .selectFrom('sampling')
        .select(['seq', 'origin', 'created_at_ms', 'expires_at_ms'])
        .select(({ fn, ref }) => fn<number>('length', [ref('params')]).as('params_length'))
        .where('status', '=', 'pending')
        .orderBy('seq')
        .execute();
      return rows.map((row) => ({
        id: samplingId(row),
        origin: row.origin,
        expiresAtMs: row.expires_at_ms,
        paramsLength: row.params_length,
      }));
    },
    settle: (id, status) =>
      write(async (trx) => {
        const row = await trx
          .updateTable('sampling')
          .set(toSettledColumns(status))
          .where(hasSamplingId(id))
          .where('status', '=', 'pending')
          .returningAll()
          .executeTakeFirst();
        return row && toSamplingTicket(row);
      }),
    purge: (createdBeforeMs) =>
      write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('sampling')
          .where('created_at_ms', '<', createdBeforeMs)
          .where('status', '!=', 'pending')
          .executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
  };
}
