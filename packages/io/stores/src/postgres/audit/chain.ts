// The chain of one daemon in the database: where it ends is a row that moves with every batch, in the same transaction, and
// only for the process that has opened the chain last, from where it has left it. So two processes can never fork a chain,
// and a commit whose answer was lost is found to have happened when the batch is handed in again.
import { randomUUID } from 'node:crypto';
import { genesisHead, type Head, parseRecord, type Sealed } from '@portico/audit-chain';
import type { JsonObject } from '@portico/contracts';
import type { Transaction } from 'kysely';
import { chainError } from '../../audit/audit-file-error.js';
import { chainKey } from '../../audit/log-key.js';
import type { StateDatabase } from '../../database.js';
import type { Tables } from '../../tables.js';
import { toRecordRow } from './record-row.js';

export interface Chain {
  /** Where it ended when it was opened. */
  readonly start: Head;
  /** The records that the database has lost; undefined if nothing is missing. */
  readonly missing: JsonObject | undefined;
  /** Keeps records that follow the last one that was kept, or finds the first of them there already. Gives those that are kept. */
  append(records: readonly Sealed[]): Promise<readonly Sealed[]>;
}

export interface ChainOptions {
  readonly database: StateDatabase;
  readonly chainId: string;
}

/** Finds the head where it was not left. */
class HeadMoved extends Error {}

/** @throws AuditFileError if the end of the chain was edited */
export async function openChain({ database, chainId }: ChainOptions): Promise<Chain> {
  const key = chainKey(chainId);
  const writer = randomUUID();
  const { head: start, missing, orderMs } = await database.write((trx) => takeOver(trx, chainId, writer));
  let lastMs = orderMs;

  const toRows = (records: readonly Sealed[]) => {
    let beforeMs = lastMs;
    return records.map((sealed) => {
      const row = toRecordRow(sealed, beforeMs);
      beforeMs = row.order_ms;
      return row;
    });
  };

  const readHead = () =>
    database.reads
      .selectFrom('audit_heads')
      .select(['seq', 'hash', 'writer'])
      .where('log', '=', key)
      .executeTakeFirst();

  /** The records of a batch beyond the head that are stored. */
  const foundIn = async (records: readonly Sealed[]): Promise<readonly Sealed[]> => {
    const found = await readHead();
    const at = records.findIndex(({ head }) => head.seq === found?.seq && head.hash === found.hash);
    if (at >= 0 && found?.writer === writer) return records.slice(0, at + 1);
    throw new Error(
      found === undefined
        ? `the head of audit chain ${chainId} was removed from the database`
        : `another process has gone on with audit chain ${chainId}, or its head was changed: see whether a copy of the state directory is in use, and restart`,
    );
  };

  return {
    start,
    missing,
    async append(records) {
      const [first] = records;
      if (first === undefined) return [];
      const rows = toRows(records);
      const before: Head = { seq: first.head.seq - 1, hash: first.record.prev_hash };
      const last = records.at(-1)?.head ?? before;
      try {
        // Never lazily: a server that crashes would take back what this process has gone on from.
        await database.write(async (trx) => {
          await moveHead(trx, { key, writer, from: before, to: last });
          await trx.insertInto('audit_records').values(rows).execute();
        });
      } catch (error) {
        if (!(error instanceof HeadMoved)) throw error;
        const kept = await foundIn(records);
        lastMs = rows[kept.length - 1]?.order_ms ?? lastMs;
        return kept;
      }
      lastMs = rows.at(-1)?.order_ms ?? lastMs;
      return records;
    },
  };
}

interface Move {
  readonly key: string;
  readonly writer: string;
  readonly from: Head;
  readonly to: Head;
}

async function moveHead(trx: Transaction<Tables>, { key, writer, from, to }: Move): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('audit_heads')
    .set({ seq: to.seq, hash: to.hash })
    .where('log', '=', key)
    .where('writer', '=', writer)
    .where('seq', '=', from.seq)
    .where('hash', '=', from.hash)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new HeadMoved();
}

interface End {
  readonly head: Head;
  readonly orderMs: number;
  readonly missing: JsonObject | undefined;
}

/** Waits for a commit that the last process has left under way, and leaves a head that this one alone may move. */
async function takeOver(trx: Transaction<Tables>, chainId: string, writer: string): Promise<End> {
  const end = await findEnd(trx, chainId);
  const row = { log: chainKey(chainId), ...end.head, end_offset: 0, writer };
  await trx
    .insertInto('audit_heads')
    .values(row)
    .onConflict((conflict) => conflict.column('log').doUpdateSet({ writer }))
    .execute();
  return end;
}

async function findEnd(trx: Transaction<Tables>, chainId: string): Promise<End> {
  const log = chainKey(chainId);
  const head = await trx
    .selectFrom('audit_heads')
    .select(['seq', 'hash'])
    .where('log', '=', log)
    .forUpdate()
    .executeTakeFirst();
  const last = await trx
    .selectFrom('audit_records')
    .select(['seq', 'order_ms', 'line'])
    .where('chain_id', '=', chainId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const orderMs = last?.order_ms ?? 0;
  const found = { found_seq: last?.seq ?? 0, found_hash: last === undefined ? null : hashIn(last.line) };
  if (head !== undefined) {
    if (found.found_seq > head.seq) throw added(chainId, head.seq, found.found_seq);
    if (found.found_seq === head.seq) return { head, orderMs, missing: undefined };
    // Numbers of records that were there are not given again: the hole stays where it is.
    return { head, orderMs, missing: { expected_seq: head.seq, expected_hash: head.hash, ...found } };
  }
  const start = last === undefined ? genesisHead : { seq: last.seq, hash: found.found_hash };
  if (start.hash === null) throw damaged(chainId, start.seq);
  const missing = last === undefined ? undefined : { expected_seq: null, expected_hash: null, ...found };
  return { head: { seq: start.seq, hash: start.hash }, orderMs, missing };
}

function hashIn(line: string): string | null {
  return parseRecord(line)?.hash ?? null;
}

const nextStep =
  'restore the tables audit_records and audit_heads from a backup, or delete `id` in the state directory to begin a new chain';

function added(chainId: string, end: number, last: number) {
  return chainError(
    chainId,
    `it ends at record ${end}, and has rows up to ${last}, which no daemon has written`,
    nextStep,
  );
}

function damaged(chainId: string, seq: number) {
  return chainError(chainId, `its head was removed, and its last row, ${seq}, is no record`, nextStep);
}
