// Own executions whose end could not be written: other daemons must not wait for them or treat them as running while
// this process lives. Alone on the database, this process keeps them in memory, and the next one closes them.
import type { ExpressionBuilder, Kysely } from 'kysely';
import { inChunks } from './chunks.js';
import { completionOf } from './completion-signals.js';
import { type EndedRow, hasKey, isOpenOf, type KeyName } from './execution-statements.js';
import type { ExecutionRow, Tables } from './tables.js';

/** Columns for the notification about an execution that is closed without an outcome. */
export const interruptedColumns = [
  'seq',
  'scope',
  'key',
  'kind',
  'capability_id',
  'first_trace_id',
  'is_awaited',
] as const;
export type InterruptedRow = Pick<ExecutionRow, (typeof interruptedColumns)[number]>;

export interface Completion extends KeyName {
  /** False if nothing was sent: its key is free. */
  readonly wasSent: boolean;
}

interface UnconfirmedWrite extends Completion {
  /** Its row has no higher number. One that has was begun since: the end had been written, and only the word of it lost. */
  readonly lastSeq: number;
}

type Closing = Pick<ExecutionRow, 'completed_at_ms' | 'expires_at_ms'>;

/** Keys of one statement. */
const keysAtATime = 250;

export function createUnconfirmedWrites(owner: string) {
  const known = new Map<string, UnconfirmedWrite>();
  let lastSeq = 0;
  const ownRow = ({ scope, key, lastSeq: last }: UnconfirmedWrite) => {
    return (eb: Where) => eb.and([hasKey(scope, key)(eb), eb('seq', '<=', last)]);
  };
  const isOneOf = (some: readonly UnconfirmedWrite[]) => (eb: Where) =>
    eb.and([isOpenOf(owner)(eb), eb.or(some.map((one) => ownRow(one)(eb)))]);

  return {
    /** The number of a row of this process. */
    sees(seq: number) {
      lastSeq = Math.max(lastSeq, seq);
    },
    add({ scope, key, wasSent }: Completion) {
      known.set(completionOf(scope, key), { scope, key, wasSent, lastSeq });
    },
    all: (): readonly UnconfirmedWrite[] => [...known.values()],
    /** Closes those that were sent: their callers know no outcome. */
    async close(
      trx: Kysely<Tables>,
      some: readonly UnconfirmedWrite[],
      closing: Closing,
    ): Promise<readonly InterruptedRow[]> {
      const closed: InterruptedRow[] = [];
      for (const part of inChunks(
        some.filter(({ wasSent }) => wasSent),
        keysAtATime,
      )) {
        const rows = trx.updateTable('executions').set(closing).where(isOneOf(part));
        closed.push(...(await rows.returning(interruptedColumns).execute()));
      }
      return closed;
    },
    /** The others. */
    async remove(trx: Kysely<Tables>, some: readonly UnconfirmedWrite[]): Promise<readonly EndedRow[]> {
      const removed: EndedRow[] = [];
      for (const part of inChunks(
        some.filter(({ wasSent }) => !wasSent),
        keysAtATime,
      )) {
        const rows = trx.deleteFrom('executions').where(isOneOf(part));
        removed.push(...(await rows.returning(['scope', 'key', 'is_awaited']).execute()));
      }
      return removed;
    },
    /** Removes those that have ended, except those that were added again since. */
    drop(some: readonly UnconfirmedWrite[]) {
      for (const one of some) {
        const completion = completionOf(one.scope, one.key);
        if (known.get(completion) === one) known.delete(completion);
      }
    },
  };
}

type Where = ExpressionBuilder<Tables, 'executions'>;
