// The ledger of executions in the state database. Every change goes through the write queue, so that it is durable
// when its promise resolves.
import { andThen } from '@portico/async';
import {
  type Intent,
  type Interrupted,
  type Ledger,
  type LedgerRecord,
  notOpen,
  type RecordPage,
  type RecordSizes,
} from '@portico/idempotency';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { completionOf, createCompletionSignals } from './completion-signals.js';
import type { StateDatabase } from './database.js';
import {
  type Closing,
  type EndedRow,
  type ExecutionStatements,
  type FoundRow,
  hasKey,
  isOpenOf,
  type KeyName,
  prepareExecutions,
} from './execution-statements.js';
import { isAlive, isLeftBehind } from './owners.js';
import { type Counted, createReplayCounts } from './replay-counts.js';
import type { ExecutionRow, Tables } from './tables.js';
import { type Completion, createUnconfirmedWrites, interruptedColumns } from './unconfirmed-writes.js';
import { notAtOnce } from './write-queue.js';

/** Records that expire within the same ten minutes are counted together. */
const sizesPartMs = 600_000;

/** Creates the ledger of idempotency keys in the state database. */
export function createLedger(database: StateDatabase): Ledger {
  const { reads, write, owner, signals } = database;
  const statements = prepareExecutions(database);
  /** For a database whose statements run at once. */
  const atOnce = <T>(work: T): T | undefined => (database.now === undefined ? undefined : work);
  const addAtOnce = atOnce((counted: Counted) => statements.addReplays(reads, counted));
  const replays = createReplayCounts(write, statements.addReplays, addAtOnce);
  const unconfirmed = createUnconfirmedWrites(owner);
  /** Ends it when the database can be written again. */
  const endLater =
    (completion: Completion) =>
    (error: unknown): never => {
      if (signals.isShared) unconfirmed.add(completion);
      throw error;
    };
  /** Wakes those that wait for it in other processes. */
  const signalEnded = async (trx: Kysely<Tables>, ended: readonly EndedRow[]) => {
    for (const { scope, key, is_awaited } of ended) {
      if (is_awaited === 1) await signals.send(trx, 'execution', completionOf(scope, key));
    }
  };
  /** How many rows were closed. */
  const close = (trx: Kysely<Tables>, closing: Closing): number | Promise<number> =>
    andThen(statements.close(trx, closing), (closed) => {
      const isAwaited = closed.some(({ is_awaited }) => is_awaited === 1);
      return isAwaited ? signalEnded(trx, closed).then(() => closed.length) : closed.length;
    });

  return {
    begin(intent) {
      let isInserted = false;
      const onInserted = (seq: number) => {
        isInserted = true;
        unconfirmed.sees(seq);
      };
      const insert = () => {
        const rows = statements.insert(reads, toRow(intent, owner));
        if (rows instanceof Promise || rows[0] === undefined) return notAtOnce; // the key has a row
        onInserted(rows[0].seq);
        return undefined;
      };
      const writing = write((trx) => begin(statements, trx, { intent, owner, onInserted }), { atOnce: atOnce(insert) });
      return writing.catch((error: unknown) => {
        if (!isInserted) throw error;
        return endLater({ scope: intent.scope, key: intent.key, wasSent: false })(error); // the commit may have come about without its answer
      });
    },
    complete(scope, key, { response, completedAtMs, expiresAtMs }) {
      const closing = { scope, key, owner, response, completed_at_ms: completedAtMs, expires_at_ms: expiresAtMs };
      const closeAtOnce = () => {
        const rows = close(reads, closing);
        return rows instanceof Promise ? notAtOnce : rows;
      };
      return write((trx) => close(trx, closing), { atOnce: atOnce(closeAtOnce) }).then(
        (rows) => {
          if (rows === 0) throw new Error(notOpen);
        },
        endLater({ scope, key, wasSent: true }),
      );
    },
    forget: (scope, key) =>
      write(async (trx) => {
        const forgotten = trx.deleteFrom('executions').where(hasKey(scope, key)).where(isOpenOf(owner));
        await signalEnded(trx, await forgotten.returning(['scope', 'key', 'is_awaited']).execute());
      }).catch(endLater({ scope, key, wasSent: false })),
    countReplay: replays.count,
    untilEnded: createCompletionSignals(database),
    find: (scope, key, nowMs) => find(statements, reads, { scope, key, nowMs, owner }),
    get: async (scope, key, nowMs) => find(statements, reads, { scope, key, nowMs, owner }),
    list: (scope, page, nowMs) => list(reads, scope, page, nowMs),
    async closeInterrupted(completedAtMs, expiresAtMs) {
      const own = unconfirmed.all();
      const closing = { completed_at_ms: completedAtMs, expires_at_ms: expiresAtMs };
      const closed = await write(async (trx) => {
        const leftBehind = trx.updateTable('executions').set(closing).where('completed_at_ms', 'is', null);
        const rows = await leftBehind.where(isLeftBehind(owner)).returning(interruptedColumns).execute();
        rows.push(...(await unconfirmed.close(trx, own, closing)));
        await signalEnded(trx, rows);
        await signalEnded(trx, await unconfirmed.remove(trx, own));
        return rows.sort((a, b) => a.seq - b.seq).map(toInterrupted);
      });
      unconfirmed.drop(own);
      return closed;
    },
    sizes: (nowMs) => sizesOf(reads, nowMs),
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

async function list(
  reads: StateDatabase['reads'],
  scope: string,
  { limit, offset }: RecordPage,
  nowMs: number,
): Promise<readonly LedgerRecord[]> {
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
  return rows.map((row) => toRecord(row, row));
}

async function sizesOf(reads: StateDatabase['reads'], nowMs: number): Promise<readonly RecordSizes[]> {
  const part = sql`expires_at_ms / ${sql.lit(sizesPartMs)}`;
  const rows = await reads
    .selectFrom('executions')
    .select(({ fn }) => [
      'scope',
      fn.countAll().as('records'),
      sql<number | string>`sum(octet_length(response))`.as('bytes'),
      fn.max('expires_at_ms').as('expires_at_ms'),
    ])
    .where('expires_at_ms', '>', nowMs)
    .groupBy(['scope', part])
    .execute();
  return rows.map(({ scope, records, bytes, expires_at_ms }) => ({
    scope,
    records: Number(records),
    bytes: Number(bytes),
    expiresAtMs: Number(expires_at_ms),
  }));
}

type Where = ExpressionBuilder<Tables, 'executions'>;

interface Beginning {
  readonly intent: Intent;
  readonly owner: string;
  /** Called with the number of its row, before the commit too. */
  readonly onInserted: (seq: number) => void;
}

/** A record that is in the way of the intent, or undefined if the intent is written. */
function begin(
  statements: ExecutionStatements,
  trx: Kysely<Tables>,
  beginning: Beginning,
  tries = 1,
): ReturnType<Ledger['find']> {
  const { intent, owner, onInserted } = beginning;
  return andThen(statements.insert(trx, toRow(intent, owner)), ([inserted]) => {
    if (inserted === undefined) return beginUsed(statements, trx, beginning, tries);
    onInserted(inserted.seq);
    return undefined;
  });
}

const maxTries = 3;

/** The key has a row, which may have expired. */
async function beginUsed(
  statements: ExecutionStatements,
  trx: Kysely<Tables>,
  beginning: Beginning,
  tries: number,
): Promise<LedgerRecord | undefined> {
  const { intent, owner } = beginning;
  const { scope, key, createdAtMs: nowMs } = intent;
  const found = await find(statements, trx, { scope, key, nowMs, owner });
  if (found !== undefined) return found;
  await statements.removeExpired(trx, { scope, key, nowMs }); // else it was forgotten in between
  if (tries === maxTries) throw new Error('the idempotency key is neither free nor used');
  return begin(statements, trx, beginning, tries + 1);
}

function toRow(intent: Intent, owner: string) {
  const { scope, key, fingerprint, kind } = intent;
  return {
    scope,
    key,
    fingerprint,
    kind,
    owner,
    capability_id: intent.capabilityId,
    first_trace_id: intent.firstTraceId,
    created_at_ms: intent.createdAtMs,
    response: intent.unknownResponse,
  };
}

interface Sought extends KeyName {
  readonly nowMs: number;
  /** The process that asks. */
  readonly owner: string;
}

function find(statements: ExecutionStatements, db: Kysely<Tables>, sought: Sought): ReturnType<Ledger['find']> {
  const rows = statements.find(db, sought);
  return rows instanceof Promise
    ? rows.then(([row]) => see(statements, db, sought, row))
    : see(statements, db, sought, rows[0]);
}

function see(
  statements: ExecutionStatements,
  db: Kysely<Tables>,
  sought: Sought,
  row: FoundRow | undefined,
): ReturnType<Ledger['find']> {
  if (row === undefined) return undefined;
  if (row.completed_at_ms !== null || row.owner === sought.owner) return toRecord(sought, row);
  return seeElsewhere(statements, db, sought, row);
}

/** An execution of another process, which may have ended. */
async function seeElsewhere(
  statements: ExecutionStatements,
  db: Kysely<Tables>,
  sought: Sought,
  row: FoundRow,
): Promise<LedgerRecord | undefined> {
  if (await isAlive(db, row.owner)) return { ...toRecord(sought, row), isElsewhere: true };
  const [last] = await statements.find(db, sought); // to complete it may have been the last that its daemon did
  return last && toRecord(sought, last);
}

function isLive(nowMs: number) {
  return (eb: Where): Expression<SqlBool> => eb.or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', nowMs)]);
}

function toInterrupted(row: Pick<ExecutionRow, 'key' | 'kind' | 'capability_id' | 'first_trace_id'>): Interrupted {
  return { key: row.key, kind: row.kind, capabilityId: row.capability_id, firstTraceId: row.first_trace_id };
}

function toRecord({ scope, key }: KeyName, row: FoundRow): LedgerRecord {
  return {
    scope,
    key,
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
