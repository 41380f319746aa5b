// Tasks in the state database. One that has ended is not changed any more, by no daemon.
import { type JsonObject, parseJson } from '@portico/contracts';
import type { Task, TaskChange, TaskStore } from '@portico/control-plane';
import { sql } from 'kysely';
import type { StateDatabase } from './database.js';
import { isLeftBehind } from './owners.js';
import type { TaskRow } from './tables.js';

/** Tasks that were made within the same ten minutes are counted together. */
const sizesPartMs = 600_000;

const unfinished: readonly TaskRow['status'][] = ['working', 'input_required'];

/** Creates the store of tasks in the state database. */
export function createTaskStore({ reads, write, owner }: StateDatabase): TaskStore {
  return {
    add: (task) =>
      write(async (trx) => {
        await trx
          .insertInto('tasks')
          .values({ ...toRow(task), owner })
          .execute();
      }),
    async get(id) {
      const row = await reads.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toTask(row, owner);
    },
    list: ({ principal, status, limit, offset }) =>
      reads
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (trx) => {
          const all = trx.selectFrom('tasks').where('principal', '=', principal);
          const matching = status === undefined ? all : all.where('status', '=', status);
          const { total } = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow();
          const rows = await matching.selectAll().orderBy('seq', 'desc').limit(limit).offset(offset).execute();
          return { tasks: rows.map((row) => toTask(row, owner)), total: Number(total) };
        }),
    change: (id, change) =>
      write(
        async (trx) => {
          const row = await trx
            .updateTable('tasks')
            .set(toChangedColumns(change))
            .where('id', '=', id)
            .where('status', 'in', unfinished)
            .returningAll()
            .executeTakeFirst();
          return row && toTask(row, owner);
        },
        { of: id },
      ),
    claim: () =>
      write(async (trx) => {
        const rows = await trx
          .updateTable('tasks')
          .set({ owner })
          .where('status', 'in', unfinished)
          .where(isLeftBehind(owner))
          .returningAll()
          .execute();
        return rows.sort((a, b) => a.seq - b.seq).map((row) => toTask(row, owner));
      }),
    async sizes() {
      const part = sql`created_at_ms / ${sql.lit(sizesPartMs)}`;
      const rows = await reads
        .selectFrom('tasks')
        .select(({ fn }) => [
          'principal',
          fn.countAll().as('tasks'),
          sql<number | string | null>`sum(octet_length(result))`.as('bytes'),
          fn.max('created_at_ms').as('created_at_ms'),
        ])
        .groupBy(['principal', part])
        .execute();
      return rows.map(({ principal, tasks, bytes, created_at_ms }) => ({
        principal,
        tasks: Number(tasks),
        bytes: Number(bytes), // null if none has a result
        createdAtMs: Number(created_at_ms),
      }));
    },
    purge: (createdBeforeMs) =>
      write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('tasks')
          .where('created_at_ms', '<', createdBeforeMs)
          .where('status', 'not in', unfinished)
          .executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
  };
}

function toRow(task: Task) {
  const { id, principal, kind, capabilityId, requestId, key, traceId, createdAtMs } = task;
  return {
    id,
    principal,
    kind,
    capability_id: capabilityId,
    request_id: requestId,
    key,
    trace_id: traceId,
    created_at_ms: createdAtMs,
    source: task.source === null ? null : JSON.stringify(task.source),
    ...toColumns(task),
  };
}

/** The columns of a task that change. */
function toColumns({ status, statusMessage, updatedAtMs, inputRequests, result }: Task) {
  return {
    status,
    status_message: statusMessage,
    updated_at_ms: updatedAtMs,
    input_requests: inputRequests === null ? null : JSON.stringify(inputRequests),
    result,
  };
}

function toChangedColumns({ status, statusMessage, updatedAtMs, inputRequests, result }: TaskChange) {
  return {
    ...(status === undefined ? {} : { status }),
    ...(statusMessage === undefined ? {} : { status_message: statusMessage }),
    ...(updatedAtMs === undefined ? {} : { updated_at_ms: updatedAtMs }),
    ...(inputRequests === undefined
      ? {}
      : { input_requests: inputRequests === null ? null : JSON.stringify(inputRequests) }),
    ...(result === undefined ? {} : { result }),
  };
}

/** @param owner of the process that asks */
function toTask(row: TaskRow, owner: string): Task {
  return {
    id: row.id,
    principal: row.principal,
    kind: row.kind,
    capabilityId: row.capability_id,
    requestId: row.request_id,
    key: row.key,
    traceId: row.trace_id,
    status: row.status,
    statusMessage: row.status_message,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    inputRequests: row.input_requests === null ? null : (parseJson(row.input_requests) as JsonObject), // `toRow` wrote it
    result: row.result,
    source: row.source === null ? null : (parseJson(row.source) as Task['source']), // `toRow` wrote it
    ...daemonOf(row, owner),
  };
}

function daemonOf(row: TaskRow, owner: string): Pick<Task, 'daemon'> {
  return row.owner !== null && row.owner !== owner && unfinished.includes(row.status) ? { daemon: row.owner } : {};
}
