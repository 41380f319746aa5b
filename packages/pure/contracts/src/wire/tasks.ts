// Tasks as their callers see them, and what they post.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';
import { sourceEntries } from './audit.js';
import type { Envelope } from './envelope.js';

const epochSecs = v.pipe(v.number(), v.integer(), v.description('Unix seconds'));
const milliseconds = v.pipe(v.number(), v.integer(), v.description('Milliseconds'));

/** States of a task (MCP tasks); the last three are final. */
export const taskStatuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** A call that runs as a task; `created_at` and `updated_at` are seconds since the Unix epoch. */
export const taskRecordSchema = v.object({
  task_id: v.string(),
  status: v.picklist(taskStatuses),
  status_message: v.optional(v.string()),
  capability_id: v.string(),
  request_id: v.nullable(v.string()),
  ...sourceEntries,
  created_at: epochSecs,
  updated_at: epochSecs,
  ttl_ms: v.pipe(milliseconds, v.description('How long the task is kept after it was made, milliseconds')),
  poll_interval_ms: v.pipe(milliseconds, v.description('How often to ask for it at most, milliseconds')),
  input_requests: v.optional(v.pipe(jsonObjectSchema, v.description('Pending requests for input, by key'))),
  result: v.optional(v.pipe(jsonObjectSchema, v.description('Envelope of the call, once it has ended'))),
});
export interface TaskRecord extends Omit<v.InferOutput<typeof taskRecordSchema>, 'result'> {
  readonly result?: Envelope;
}

/** Answer of `GET /v1/tasks/{id}`, `POST /v1/tasks/{id}/respond`, `POST /v1/tasks/{id}/cancel`. */
export const taskAnswerSchema = v.object({ ok: v.literal(true), task: taskRecordSchema });

/** Answer of `GET /v1/tasks`. */
export const tasksListSchema = v.object({
  ok: v.literal(true),
  tasks: v.pipe(v.array(taskRecordSchema), v.description('Newest first, without results')),
  total: v.pipe(v.number(), v.integer(), v.description('All tasks that match, on every page')),
});

/** Where a task is found. */
export function taskPath(id: string): string {
  return `/v1/tasks/${id}`;
}

/** Body of `POST /v1/tasks/{id}/respond`. */
export const taskRespondRequestSchema = v.object({
  input_responses: v.pipe(jsonObjectSchema, v.description('Bare results by the keys of `input_requests`')),
});
