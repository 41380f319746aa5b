// How far the records of a log were delivered to each target. It never goes back.
import type { StateDatabase } from '../database.js';

export interface SiemCursors {
  /** Position of the last record that the target has; 0 for none. */
  get(target: string): Promise<number>;
  /** Resolves when it is kept: a power loss may take the last ones back, and records are sent again. A position before the one that is known changes nothing. */
  set(target: string, seq: number): Promise<void>;
  /** A log that ends before a cursor has lost what the target has: what takes its place is sent as well. */
  lowerTo(seq: number): Promise<void>;
}

/**
 * Creates the stored positions of SIEM targets.
 * @param log the file that the positions are in: each has its own
 */
export function createSiemCursors({ reads, write }: StateDatabase, log: string): SiemCursors {
  return {
    async get(target) {
      const row = await reads
        .selectFrom('siem_cursors')
        .select('seq')
        .where('target', '=', target)
        .where('log', '=', log)
        .executeTakeFirst();
      return row?.seq ?? 0;
    },
    set: (target, seq) =>
      write(
        async (trx) => {
          await trx
            .insertInto('siem_cursors')
            .values({ target, log, seq })
            .onConflict((conflict) =>
              conflict.columns(['target', 'log']).doUpdateSet({ seq }).where('siem_cursors.seq', '<', seq),
            )
            .execute();
        },
        { isLazy: true },
      ),
    lowerTo: (seq) =>
      write(async (trx) => {
        await trx.updateTable('siem_cursors').set({ seq }).where('log', '=', log).where('seq', '>', seq).execute();
      }),
  };
}
