// The last calls, as a list and as a stream of server-sent events, and how many there were over time. A reader that is too
// slow misses calls, and the stream says how many.
import { type ActivityRange, activityRanges, auditStatuses, maxRecentCalls, type RecentCall } from '@portico/contracts';
import { type Authenticate, type CallFilter, type ControlPlane, matchesCall } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { oneOf, textOf } from './audit-query.js';
import { droppingSource, sharedEncoder } from './dropping-source.js';
import { answerEvents } from './event-stream.js';
import { limitOf } from './paging.js';

export function addActivityRoutes(app: Hono, plane: ControlPlane, authenticate: Authenticate): void {
  const encode = sharedEncoder<RecentCall>('call');

  app.get('/v1/activity', async (c) => {
    const { calls, cursor } = await plane.recentCalls.list(callFilterOf(c), limitOf(c, maxRecentCalls));
    const recorded = plane.state().config.audit.isEnabled;
    return send(JSON.stringify({ ok: true, calls, cursor, recorded }), 200);
  });

  app.get('/v1/activity/stream', (c) => {
    const filter = callFilterOf(c);
    const lastId = c.req.header('Last-Event-ID');
    const source = droppingSource<RecentCall>(({ add, missed }) => {
      const calls = (given: readonly RecentCall[]) => add(given.filter((call) => matchesCall(call, filter)));
      return plane.recentCalls.follow({ calls, missed }, lastId);
    }, encode);
    return answerEvents(plane, c, authenticate, source);
  });

  app.get('/v1/activity/series', (c) => {
    const range: ActivityRange = oneOf(c, 'range', activityRanges) ?? '1h';
    return send(JSON.stringify({ ok: true, range, ...plane.callSeries.read(range) }), 200);
  });
}

/** @throws PorticoError INVALID_ARGS */
function callFilterOf(c: Context): CallFilter {
  return {
    client: textOf(c, 'client'),
    capability: textOf(c, 'capability'),
    status: oneOf(c, 'status', auditStatuses),
  };
}
