// The tasks extension of 2026-07-28 (io.modelcontextprotocol/tasks): a client that declares it with a request may get a
// task for an answer, and asks for it, answers it and cancels it here.
import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import {
  type Envelope,
  gatherExact,
  isJsonObject,
  type JsonObject,
  type TaskRecord,
  tasksExtension,
  writtenDataOf,
} from '@portico/contracts';
import { invalidParams } from '../calls/failures.js';
import type { Incoming } from '../calls/incoming.js';
import { takesTasks } from '../calls/listener.js';
import { exactData } from '../calls/results.js';
import { qualifyWritten } from '../calls/ui-names.js';
import { objectParam, textParam } from './params.js';

/** The answer to a call that has become a task. */
export function toCreateTaskResult(task: TaskRecord): JsonObject {
  return { resultType: 'task', ...fieldsOf(task) };
}

export async function getTask(incoming: Incoming): Promise<JsonObject> {
  const id = taskIdOf(incoming);
  const task = await incoming.deps.plane.tasks.get(incoming.connection.caller, id);
  if (task === undefined) throw unknownTask(id);
  const server = incoming.deps.plane.state().catalog.findCapability(task.capability_id)?.server;
  return gatherExact({ ...fieldsOf(task), ...progressOf(task, server) });
}

export async function updateTask(incoming: Incoming): Promise<JsonObject> {
  const id = taskIdOf(incoming);
  // The SDK has taken them out of the params.
  const given = incoming.context.mcpReq.inputResponses as unknown as JsonObject | undefined; // JSON from the wire
  const responses = given ?? objectParam(incoming.params, 'inputResponses');
  const { kind } = await incoming.deps.plane.tasks.respond(incoming.connection.caller, id, responses);
  if (kind === 'unknown') throw unknownTask(id);
  return {}; // answers to nothing that is asked are ignored
}

export async function cancelTask(incoming: Incoming): Promise<JsonObject> {
  const id = taskIdOf(incoming);
  const { kind } = await incoming.deps.plane.tasks.cancel(incoming.connection.caller, id);
  if (kind === 'unknown') throw unknownTask(id);
  return {}; // one that has ended stays as it is
}

/** @throws ProtocolError -32021 for a client that has not declared the extension, -32602 */
function taskIdOf({ context, params }: Incoming): string {
  if (!takesTasks(context)) {
    const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, 'the tasks extension is not declared');
  }
  return textParam(params, 'taskId');
}

function fieldsOf(task: TaskRecord): JsonObject {
  const { task_id, status, status_message, created_at, updated_at, ttl_ms, poll_interval_ms } = task;
  return {
    taskId: task_id,
    status,
    ...(status_message === undefined ? {} : { statusMessage: status_message }),
    createdAt: new Date(created_at * 1000).toISOString(),
    lastUpdatedAt: new Date(updated_at * 1000).toISOString(),
    ttlMs: ttl_ms,
    pollIntervalMs: poll_interval_ms,
  };
}

/** The requests that it waits with, or its result. */
function progressOf({ input_requests, result }: TaskRecord, server: string | undefined): JsonObject {
  if (result === undefined) return input_requests === undefined ? {} : { inputRequests: input_requests };
  if (!result.ok) return { error: errorOf(result) };
  const data = exactData(qualifyWritten({ data: result.data, dataText: writtenDataOf(result) }, server));
  return { result: isJsonObject(data) ? data : {} };
}

const internalError = -32603;

function errorOf({ error }: Extract<Envelope, { readonly ok: false }>): JsonObject {
  const { code, message, rpc_error } = error;
  if (rpc_error !== undefined) return { ...rpc_error };
  return { code: internalError, message: `${code}: ${message}` };
}

function unknownTask(id: string) {
  return invalidParams(`Unknown task: ${id}`);
}
