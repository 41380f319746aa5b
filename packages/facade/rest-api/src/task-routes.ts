// Tasks: calls that continue without their callers. Every caller sees their own.
import { documentText, PorticoError, taskRespondRequestSchema, taskStatuses } from '@portico/contracts';
import type { ControlPlane, TaskAnswer, TaskListQuery } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { Conflict } from './approval-routes.js';
import { pageOf } from './paging.js';
import { callerOf, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export function addTaskRoutes(app: Hono, plane: ControlPlane): void {
  const { tasks } = plane;

  app.get('/v1/tasks', async (c) => {
    const caller = callerOf(exchangeOf(c));
    plane.view(caller, 'resource'); // an unknown profile has no list that is empty
    const page = await tasks.list({ caller, ...pageOf(c), ...statusOf(c) });
    return send(JSON.stringify({ ok: true, ...page }), 200);
  });

  app.get('/v1/tasks/:id', async (c) => {
    const id = c.req.param('id');
    const task = await tasks.get(callerOf(exchangeOf(c)), id);
    if (task === undefined) throw unknownTask(id);
    return send(documentText({ ok: true, task }), 200);
  });

  app.post('/v1/tasks/:id/respond', async (c) => {
    const id = c.req.param('id');
    const { input_responses } = await readBody(exchangeOf(c), taskRespondRequestSchema);
    return answer(id, 'waits for no answer', await tasks.respond(callerOf(exchangeOf(c)), id, input_responses));
  });

  app.post('/v1/tasks/:id/cancel', async (c) => {
    const id = c.req.param('id');
    return answer(id, 'has ended', await tasks.cancel(callerOf(exchangeOf(c)), id));
  });
}

/** @throws PorticoError RESOURCE_NOT_FOUND, Conflict */
function answer(id: string, obstacle: string, answered: TaskAnswer): Response {
  switch (answered.kind) {
    case 'done':
      return send(JSON.stringify({ ok: true, task: answered.task }), 200);
    case 'conflict':
      throw new Conflict(`task ${id} ${obstacle}: it is ${answered.task.status}`);
    case 'unknown':
      throw unknownTask(id);
  }
}

/** @throws PorticoError INVALID_ARGS */
function statusOf(c: Context): Pick<TaskListQuery, 'status'> {
  const text = c.req.query('status');
  if (text === undefined) return {};
  const status = taskStatuses.find((known) => known === text);
  if (status !== undefined) return { status };
  throw new PorticoError('INVALID_ARGS', `query status: expected one of ${taskStatuses.join(', ')}`);
}

function unknownTask(id: string): PorticoError {
  return new PorticoError('RESOURCE_NOT_FOUND', `no task "${id}"`);
}
