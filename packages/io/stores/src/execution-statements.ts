// The ledger's statements for each call under a key.
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { type GapOf, type Prepared, type PreparingDatabase, prepare, prepareChange } from './prepared.js';
import type { ExecutionRow, Tables } from './tables.js';

export interface KeyName {
  readonly scope: string;
  readonly key: string;
}

/** The columns with which its owner closes an open row. */
export interface Closing extends KeyName {
  readonly owner: string;
  readonly response: string;
  readonly completed_at_ms: number;
  readonly expires_at_ms: number;
}

/** Columns for the notification that a row is closed. */
export type EndedRow = Pick<ExecutionRow, 'scope' | 'key' | 'is_awaited'>;

/** The columns of a row that its key does not give. Each costs some 0.3 µs, and a replay reads only this. */
const foundColumns = [
  'fingerprint',
  'kind',
  'owner',
  'capability_id',
  'first_trace_id',
  'created_at_ms',
  'completed_at_ms',
  'response',
  'replay_count',
] as const;

export type FoundRow = Pick<ExecutionRow, (typeof foundColumns)[number]>;

type OpenRow = Omit<ExecutionRow, 'seq' | 'completed_at_ms' | 'expires_at_ms' | 'replay_count' | 'is_awaited'>;

export interface ExecutionStatements {
  /** Gives a row unless the key has one. */
  readonly insert: Prepared<OpenRow, { readonly seq: number }>;
  readonly removeExpired: Prepared<KeyName & { readonly nowMs: number }, unknown>;
  readonly find: Prepared<KeyName & { readonly nowMs: number }, FoundRow>;
  /** Gives the row that was open. */
  readonly close: Prepared<Closing, EndedRow>;
  readonly addReplays: Prepared<KeyName & { readonly replays: number }, unknown>;
}

export function prepareExecutions(database: PreparingDatabase): ExecutionStatements {
  return {
    insert: prepareInsert(database),
    removeExpired: prepare(database, (on, gap) =>
      on
        .deleteFrom('executions')
        .where('scope', '=', gap('scope'))
        .where('key', '=', gap('key'))
        .where('expires_at_ms', '<=', gap('nowMs')),
    ),
    find: prepare(database, (on, gap) =>
      on
        .selectFrom('executions')
        .select(foundColumns)
        .where('scope', '=', gap('scope'))
        .where('key', '=', gap('key'))
        .where((eb) => eb.or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', gap('nowMs'))])),
    ),
    close: prepareClose(database),
    addReplays: prepare(database, (on, gap) =>
      on
        .updateTable('executions')
        .set((eb) => ({ replay_count: eb('replay_count', '+', gap('replays')) }))
        .where('scope', '=', gap('scope'))
        .where('key', '=', gap('key')),
    ),
  };
}

function prepareInsert(database: PreparingDatabase): ExecutionStatements['insert'] {
  const { now } = database;
  if (now === undefined) return prepare(database, (on, gap) => insertUnlessThere(on, gap).returning('seq'));
  const insert = prepareChange({ ...database, now }, insertUnlessThere);
  return (_, row) => {
    const { rows, insertedId } = insert(row);
    return rows === 0 ? [] : [{ seq: insertedId }];
  };
}

function insertUnlessThere(on: Kysely<Tables>, gap: GapOf<OpenRow>) {
  return on
    .insertInto('executions')
    .values({
      scope: gap('scope'),
      key: gap('key'),
      fingerprint: gap('fingerprint'),
      kind: gap('kind'),
      capability_id: gap('capability_id'),
      first_trace_id: gap('first_trace_id'),
      created_at_ms: gap('created_at_ms'),
      completed_at_ms: null,
      expires_at_ms: null,
      response: gap('response'),
      replay_count: 0,
      owner: gap('owner'),
    })
    .onConflict((conflict) => conflict.doNothing());
}

function prepareClose(database: PreparingDatabase): ExecutionStatements['close'] {
  const { now } = database;
  if (now === undefined) {
    return prepare(database, (on, gap) => closeOpen(on, gap).returning(['scope', 'key', 'is_awaited']));
  }
  const close = prepareChange({ ...database, now }, closeOpen);
  return (_, closing) => {
    const { scope, key } = closing;
    return close(closing).rows === 0 ? [] : [{ scope, key, is_awaited: 0 }]; // there is no other process to wait for it
  };
}

function closeOpen(on: Kysely<Tables>, gap: GapOf<Closing>) {
  return on
    .updateTable('executions')
    .set({
      response: gap('response'),
      completed_at_ms: gap('completed_at_ms'),
      expires_at_ms: gap('expires_at_ms'),
    })
    .where('scope', '=', gap('scope'))
    .where('key', '=', gap('key'))
    .where('completed_at_ms', 'is', null)
    .where('owner', '=', gap('owner'));
}

type Where = ExpressionBuilder<Tables, 'executions'>;

export function hasKey(scope: string, key: string) {
  return (eb: Where): Expression<SqlBool> => eb.and([eb('scope', '=', scope), eb('key', '=', key)]);
}

/** The rows that a process has open. */
export function isOpenOf(owner: string) {
  return (eb: Where): Expression<SqlBool> => eb.and([eb('completed_at_ms', 'is', null), eb('owner', '=', owner)]);
}
