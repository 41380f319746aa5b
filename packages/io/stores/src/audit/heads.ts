// Where each log ended when it was last known to be on disk: kept apart from the file, so that a cut is noticed.
import type { Head } from '@portico/audit-chain';
import type { StateDatabase } from '../database.js';

export interface KeptHead extends Head {
  /** Where its record ends in the file. */
  readonly end: number;
}

export interface AuditHeads {
  get(log: string): Promise<KeptHead | undefined>;
  set(log: string, head: KeptHead): Promise<void>;
}

export function createAuditHeads({ reads, write }: StateDatabase): AuditHeads {
  return {
    async get(log) {
      const row = await reads.selectFrom('audit_heads').selectAll().where('log', '=', log).executeTakeFirst();
      return row && { seq: row.seq, hash: row.hash, end: row.end_offset };
    },
    set: (log, { seq, hash, end }) =>
      write(
        async (trx) => {
          await trx
            .insertInto('audit_heads')
            .values({ log, seq, hash, end_offset: end, writer: null })
            .onConflict((conflict) => conflict.column('log').doUpdateSet({ seq, hash, end_offset: end }))
            .execute();
        },
        { isLazy: true },
      ),
  };
}
