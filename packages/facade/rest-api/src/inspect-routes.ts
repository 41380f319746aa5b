// The messages between Portico and its servers, as a list, as a stream of server-sent events, and by trace.
import { frameDirections, maxListedFrames, type WireFrame } from '@portico/contracts';
import type { Authenticate, ControlPlane, FrameFilter, FrameFollowing } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { oneOf, textOf, timeOf } from './audit-query.js';
import { droppingSource, sharedEncoder } from './dropping-source.js';
import { answerEvents, type EventSink } from './event-stream.js';
import { limitOf } from './paging.js';
import { ownerOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

export function addInspectRoutes(app: Hono, plane: ControlPlane, authenticate: Authenticate): void {
  const { inspector } = plane;
  const encode = sharedEncoder<WireFrame>('frame');

  app.get('/v1/inspect', (c) => {
    const query = { ...frameFilterOf(c), sinceMs: timeOf(c, 'since'), limit: limitOf(c, maxListedFrames) };
    const { frames, complete, cursor } = inspector.list(query);
    return send(JSON.stringify({ ok: true, frames, complete, cursor, counts: inspector.counts() }), 200);
  });

  app.get('/v1/inspect/stream', (c) => {
    const filter = frameFilterOf(c);
    const lastId = c.req.header('Last-Event-ID');
    inspector.mustBeOn();
    let following: FrameFollowing | undefined;
    const source = droppingSource<WireFrame>(
      ({ add, missed, end }) => {
        following = inspector.follow({ frames: add, missed, ended: end }, { filter, lastId });
        return following.stop;
      },
      encode,
      () => inspector.readerMissed(1),
    );
    const onRead = (sink: EventSink) => {
      source.onRead?.(sink);
      following?.more();
    };
    return answerEvents(plane, c, authenticate, { ...source, onRead });
  });

  app.get('/v1/traces/:id{[^]+}/frames', (c) => {
    const found = inspector.trace(c.req.param('id') ?? '', ownerOf(exchangeOf(c), plane));
    return send(JSON.stringify({ ok: true, ...found }), 200);
  });
}

/** @throws PorticoError INVALID_ARGS */
function frameFilterOf(c: Context): FrameFilter {
  return {
    server: textOf(c, 'server'),
    method: textOf(c, 'method'),
    direction: oneOf(c, 'direction', frameDirections),
    traceId: textOf(c, 'trace_id'),
  };
}
