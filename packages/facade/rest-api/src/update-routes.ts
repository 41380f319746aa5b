// The change feed, and the stream of changes as server-sent events (WHATWG HTML, section 9.2). A reader that is too slow
// is let go.
import { type ControlPlane, mayName, narrowUpdate, type UpdateEvent } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { abandonSignal } from './abandon.js';
import { send } from './answer.js';
import { roleViewerOf } from './caller.js';

const keepAliveMs = 15_000;

/** Bytes that may wait for a reader. It can come back with `Last-Event-ID` and misses nothing that is still kept. */
const maxWaitingBytes = 1024 * 1024;

export function addUpdateRoutes(app: Hono, plane: ControlPlane): void {
  app.get('/v1/catalog/events', (c) => {
    const { cursor, events, isReset } = plane.catalogEvents(c.req.query('after'));
    const viewer = roleViewerOf(c);
    const state = plane.state();
    const told = viewer.role === null ? events : events.filter(({ object_id }) => mayName(state, viewer, object_id));
    const { version } = state.catalog;
    return send(
      c,
      JSON.stringify({ catalog_version: version, cursor, events: told, ...(isReset ? { reset: true } : {}) }),
      200,
    );
  });

  app.get('/v1/resources/updates', (c) => {
    const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };
    if (c.req.method === 'HEAD') return c.body(null, 200, headers); // Hono asks for it by GET
    return c.body(eventStream(plane, c), 200, headers);
  });
}

function eventStream(plane: ControlPlane, c: Context): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const viewer = roleViewerOf(c);
  const lastId = c.req.header('Last-Event-ID');
  let end = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string) => {
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) < 0) finish();
        };
        const finish = () => {
          end();
          controller.close();
        };
        const keepAlive = setInterval(() => write(': keep-alive\n\n'), keepAliveMs);
        const gone = abandonSignal(c);
        let isOver = false;
        let unsubscribe = () => {};
        end = () => {
          isOver = true;
          clearInterval(keepAlive);
          unsubscribe();
        };
        gone.addEventListener('abort', end, { once: true });
        write(': connected\n\n');
        unsubscribe = plane.onUpdate((event) => {
          const told = isOver ? undefined : narrowUpdate(plane.state(), viewer, event);
          if (told !== undefined) write(toText(told));
        }, lastId);
        if (isOver) unsubscribe();
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxWaitingBytes }),
  );
}

/** JSON text holds no line break, so one data line is enough. */
function toText({ kind, id, data }: UpdateEvent): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
