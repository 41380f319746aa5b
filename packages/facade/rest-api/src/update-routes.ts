// The change feed, and the stream of changes as server-sent events. A reader that is too slow is let go.
import { type Authenticate, type ControlPlane, mayName, narrowUpdate, type UpdateEvent } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { answerEvents, encodeEvent } from './event-stream.js';
import { roleViewerOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

export function addUpdateRoutes(app: Hono, plane: ControlPlane, authenticate: Authenticate): void {
  const encode = createEncoder();

  app.get('/v1/catalog/events', (c) => {
    const { cursor, events, isReset } = plane.catalogEvents(c.req.query('after'));
    const viewer = roleViewerOf(exchangeOf(c));
    const state = plane.state();
    const visible = viewer.role === null ? events : events.filter(({ object_id }) => mayName(state, viewer, object_id));
    const { version } = state.catalog;
    return send(
      JSON.stringify({ catalog_version: version, cursor, events: visible, ...(isReset ? { reset: true } : {}) }),
      200,
    );
  });

  app.get('/v1/resources/updates', (c) => {
    const viewer = roleViewerOf(exchangeOf(c));
    const lastId = c.req.header('Last-Event-ID');
    return answerEvents(plane, c, authenticate, {
      start: (sink) =>
        plane.onUpdate((event) => {
          const visible = narrowUpdate(plane.state(), viewer, event);
          if (visible === undefined) return;
          sink.push(encode(visible));
          if (sink.isFull()) sink.letGo();
        }, lastId),
    });
  });
}

/** All readers receive an event before the next one, so those that see the whole event share its bytes. */
function createEncoder(): (event: UpdateEvent) => Uint8Array {
  let last: { readonly event: UpdateEvent; readonly bytes: Uint8Array } | undefined;
  return (event) => {
    if (last?.event !== event) last = { event, bytes: encodeEvent(event.kind, event.data, event.id) };
    return last.bytes;
  };
}
