// The definition of a ticket, as it changes: while it waits for a decision, and when its approved call was not sent.
import type { AskedDefinition, Ticket } from '@portico/control-plane';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.js';
import { hasDigest, hasId, toDefinitionColumns, toTicket } from './ticket-rows.js';

export async function redefine(
  trx: Kysely<Tables>,
  id: string,
  digest: string | null,
  definition: AskedDefinition,
): Promise<Ticket | undefined> {
  const row = await trx
    .updateTable('approvals')
    .set(toDefinitionColumns(definition))
    .where(hasId(id))
    .where('status', '=', 'pending')
    .where(hasDigest(digest))
    .returningAll()
    .executeTakeFirst();
  return row && toTicket(row);
}

export interface Reopening {
  readonly definition: AskedDefinition | null;
  readonly expiresAtMs: number;
  readonly owner: string;
}

export async function reopen(
  trx: Kysely<Tables>,
  id: string,
  { definition, expiresAtMs, owner }: Reopening,
): Promise<Ticket | undefined> {
  const pending = { status: 'pending', decision: JSON.stringify({ status: 'pending' }), run_state: 'none' } as const;
  const row = await trx
    .updateTable('approvals')
    .set({ ...pending, ...toDefinitionColumns(definition), expires_at_ms: expiresAtMs, owner })
    .where(hasId(id))
    .where('status', '=', 'approved')
    .where('run_state', '!=', 'finished')
    .returningAll()
    .executeTakeFirst();
  return row && toTicket(row);
}
