// The last calls, as a list and as a stream of server-sent events, and how many there were over time. A reader that is too
// slow misses calls, and the stream says how many.
import { type ActivityRange, activityRanges, auditStatuses, maxRecentCalls, type RecentCall } from '@portico/contracts';
import { type Authenticate, type CallFilter, type ControlPlane, matchesCall } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { oneOf, textOf } from './audit-query.js';
import { answerEvents, type EventSink, type EventSource, encodeEvent } from './event-stream.js';
import { limitOf } from './paging.js';

export function addActivityRoutes(app: Hono, plane: ControlPlane, authenticate: Authenticate): void {
  const encode = createEncoder();

  app.get('/v1/activity', async (c) => {
    const { calls, cursor } = await plane.recentCalls.list(callFilterOf(c), limitOf(c, maxRecentCalls));
    const recorded = plane.state().config.audit.isEnabled;
    return send(JSON.stringify({ ok: true, calls, cursor, recorded }), 200);
  });

  app.get('/v1/activity/stream', (c) => {
    const filter = callFilterOf(c);
    return answerEvents(plane, c, authenticate, callSource(plane, filter, encode, c.req.header('Last-Event-ID')));
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

type Encode = (call: RecentCall) => Uint8Array;

function callSource(
  { recentCalls }: Pick<ControlPlane, 'recentCalls'>,
  filter: CallFilter,
  encode: Encode,
  lastId: string | undefined,
): EventSource {
  let dropped = 0;
  const sayDropped = (sink: EventSink) => {
    if (dropped > 0) sink.push(encodeEvent('dropped', { count: dropped }));
    dropped = 0;
  };
  return {
    start(sink) {
      const add = (call: RecentCall) => {
        if (!matchesCall(call, filter)) return;
        if (sink.isFull()) {
          dropped += 1;
          return;
        }
        sayDropped(sink);
        sink.push(encode(call));
      };
      return recentCalls.follow(
        {
          calls: (calls) => calls.forEach(add),
          missed(count) {
            dropped += count;
            if (!sink.isFull()) sayDropped(sink);
          },
        },
        lastId,
      );
    },
    onRead: sayDropped,
  };
}

/** Readers of the same call share its bytes. */
function createEncoder(): Encode {
  const encoded = new WeakMap<RecentCall, Uint8Array>();
  return (call) => {
    const bytes = encoded.get(call) ?? encodeEvent('call', call, call.id);
    encoded.set(call, bytes);
    return bytes;
  };
}
