// The part of accounts that the calls in flight of each daemon hold, so that the others can charge it when it has ended.
import type { AccountKey, Held, Reservation } from '@portico/control-plane';
import { type Kysely, sql } from 'kysely';
import type { StateDatabase } from '../database.js';
import type { BudgetHoldRow, Tables } from '../tables.js';

export interface HoldStatements {
  /** Adds a call to the part of this daemon. */
  take(trx: Kysely<Tables>, key: AccountKey, reservation: Reservation | undefined): Promise<void>;
  /** Takes a call out of it. @returns whether it was there */
  giveBack(trx: Kysely<Tables>, key: AccountKey, reservation: Reservation): Promise<boolean>;
}

export function prepareHoldStatements({ owner }: StateDatabase): HoldStatements {
  return {
    async take(trx, key, reservation) {
      if (reservation === undefined) return;
      const row = rowOf(owner, key, reservation);
      await trx
        .insertInto('budget_holds')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['owner', 'budget', 'scope', 'start_ms']).doUpdateSet({
            in_flight: sql`budget_holds.in_flight + 1`,
            reserved_bytes: sql`budget_holds.reserved_bytes + ${row.reserved_bytes}`,
            reserved_tokens: sql`budget_holds.reserved_tokens + ${row.reserved_tokens}`,
            reserved_us: sql`budget_holds.reserved_us + ${row.reserved_us}`,
          }),
        )
        .execute();
    },
    async giveBack(trx, { budget, scope, startMs }, { amounts }) {
      const { numUpdatedRows } = await trx
        .updateTable('budget_holds')
        .set({
          in_flight: sql`in_flight - 1`,
          reserved_bytes: sql`reserved_bytes - ${amounts.resultBytes}`,
          reserved_tokens: sql`reserved_tokens - ${amounts.resultTokens}`,
          reserved_us: sql`reserved_us - ${amounts.upstreamUs}`,
        })
        .where('owner', '=', owner)
        .where('budget', '=', budget)
        .where('scope', '=', scope)
        .where('start_ms', '=', startMs)
        .where('in_flight', '>', 0)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

export function toHeld(row: BudgetHoldRow): Held {
  return {
    inFlight: row.in_flight,
    reserved: { resultBytes: row.reserved_bytes, resultTokens: row.reserved_tokens, upstreamUs: row.reserved_us },
  };
}

function rowOf(owner: string, { budget, scope, startMs }: AccountKey, { amounts }: Reservation): BudgetHoldRow {
  return {
    owner,
    budget,
    scope,
    start_ms: startMs,
    in_flight: 1,
    reserved_bytes: amounts.resultBytes,
    reserved_tokens: amounts.resultTokens,
    reserved_us: amounts.upstreamUs,
  };
}
