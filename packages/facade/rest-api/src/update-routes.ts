// The change feed, and the stream of changes as server-sent events (WHATWG HTML, section 9.2). A reader that is too slow
// is let go, and one whose credentials are not good any more hears nothing else.
import {
  type Authenticate,
  type ControlPlane,
  createStanding,
  mayName,
  narrowUpdate,
  type UpdateEvent,
} from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { abandonSignal } from './abandon.js';
import { respond, send } from './answer.js';
import { identityOf, roleViewerOf } from './caller.js';

const keepAliveMs = 15_000;

/** Bytes that may wait for a reader. It can come back with `Last-Event-ID` and misses nothing that is still kept. */
const maxWaitingBytes = 1024 * 1024;

export function addUpdateRoutes(app: Hono, plane: ControlPlane, authenticate: Authenticate): void {
  app.get('/v1/catalog/events', (c) => {
    const { cursor, events, isReset } = plane.catalogEvents(c.req.query('after'));
    const viewer = roleViewerOf(c);
    const state = plane.state();
    const told = viewer.role === null ? events : events.filter(({ object_id }) => mayName(state, viewer, object_id));
    const { version } = state.catalog;
    return send(
      JSON.stringify({ catalog_version: version, cursor, events: told, ...(isReset ? { reset: true } : {}) }),
      200,
    );
  });

  app.get('/v1/resources/updates', (c) => {
    const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };
    if (c.req.method === 'HEAD') return respond(null, 200, headers); // Hono asks for it by GET
    const isGood = createStanding(authenticate, c.req.header('Authorization'), identityOf(c));
    return respond(eventStream(plane, c).pipeThrough(endUnless(isGood)), 200, headers);
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

/** Asks before everything that is told, and so at the next keep-alive at the latest. */
function endUnless(isGood: () => Promise<boolean>): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    async transform(chunk, controller) {
      if (await isGood()) controller.enqueue(chunk);
      else controller.terminate();
    },
  });
}

/** JSON text holds no line break, so one data line is enough. */
function toText({ kind, id, data }: UpdateEvent): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
