// Calls that are answered later.
import { taskAnswerSchema, taskRespondRequestSchema, tasksListSchema } from '../tasks.js';
import { plain, type Route } from './route.js';

export const taskRoutes = [
  {
    ...plain,
    access: 'role',
    operationId: 'listTasks',
    path: '/v1/tasks',
    takesProfile: true,
    summary: 'Tasks of the caller, newest first',
    queries: ['status', 'limit', 'offset'],
    answer: tasksListSchema,
    failures: [400, 404],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'getTask',
    path: '/v1/tasks/{id}',
    summary: 'One task, with the result of its call once that is there',
    answer: taskAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    method: 'post',
    access: 'role',
    operationId: 'respondToTask',
    path: '/v1/tasks/{id}/respond',
    summary: 'Answer what a task asks',
    body: taskRespondRequestSchema,
    answer: taskAnswerSchema,
    failures: [400, 404, 409, 413, 415],
  },
  {
    ...plain,
    method: 'post',
    access: 'role',
    operationId: 'cancelTask',
    path: '/v1/tasks/{id}/cancel',
    summary: 'Cancel a task',
    answer: taskAnswerSchema,
    failures: [404, 409, 413, 415],
  },
] as const satisfies readonly Route[];
