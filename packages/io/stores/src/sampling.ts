// Sampling tickets in the state database. The statement that settles one requires that it is pending, so one of several
// concurrent decisions wins, across all processes.
import type { SamplingStore } from '@portico/control-plane';
import type { StateDatabase } from './database.js';
import { isLeftBehind } from './owners.js';
import { hasSamplingId, samplingId, toSamplingRow, toSamplingTicket, toSettledColumns } from './sampling-rows.js';

/** Creates the store of sampling requests in the state database. */
export function createSamplingStore({ reads, write, owner, signals }: StateDatabase): SamplingStore {
  return {
    open: (draft) =>
      write(async (trx) => {
        const row = trx
          .insertInto('sampling')
          .values({ ...toSamplingRow(draft), owner })
          .returningAll();
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
    claim: () =>
      write(async (trx) => {
        const rows = await trx
          .updateTable('sampling')
          .set({ owner })
          .where('status', '=', 'pending')
          .where(isLeftBehind(owner))
          .returning(['seq', 'server_id', 'principal', 'origin', 'created_at_ms', 'expires_at_ms'])
          .returning(({ fn, ref }) => fn<number>('length', [ref('params')]).as('params_length'))
          .execute();
        return rows
          .sort((a, b) => a.seq - b.seq)
          .map((row) => ({
            id: samplingId(row),
            serverId: row.server_id,
            principal: row.principal,
            origin: row.origin,
            expiresAtMs: row.expires_at_ms,
            paramsLength: row.params_length,
          }));
      }),
    settle: (id, status) =>
      write(async (trx) => {
        const row = await trx
          .updateTable('sampling')
          .set(toSettledColumns(status))
          .where(hasSamplingId(id))
          .where('status', '=', 'pending')
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) await signals.send(trx, 'sampling', id);
        return row && toSamplingTicket(row);
      }),
    follow: (listener) => signals.on('sampling', listener),
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
