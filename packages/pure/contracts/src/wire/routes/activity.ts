// Recent calls, as a list, as a stream, and in numbers.
import { activityListSchema, activitySeriesSchema } from '../activity.js';
import { plain, type Route } from './route.js';

export const activityRoutes = [
  {
    ...plain,
    access: 'admin',
    operationId: 'listActivity',
    path: '/v1/activity',
    summary: 'The last calls of this daemon, newest first',
    queries: ['limit', 'client', 'capability', 'status'],
    answer: activityListSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'streamActivity',
    path: '/v1/activity/stream',
    summary: 'Calls as they end: events `call`, and `dropped` with the number of those that were left out',
    queries: ['client', 'capability', 'status'],
    headers: ['Last-Event-ID'],
    mediaTypes: ['text/event-stream'],
    failures: [400],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getActivitySeries',
    path: '/v1/activity/series',
    summary: 'Calls, failures and latency over time: `range` is 1h (by default) or 24h',
    queries: ['range'],
    answer: activitySeriesSchema,
    failures: [400],
  },
] as const satisfies readonly Route[];
