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
import { respond, send } from './answer.js';
import { identityOf, roleViewerOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

const keepAliveMs = 15_000;

/** Bytes that may wait for a reader. It can come back with `Last-Event-ID` and misses nothing that is still kept. */
const maxWaitingBytes = 1024 * 1024;

export function addUpdateRoutes(app: Hono, plane: ControlPlane, authenticate: Authenticate): void {
  const encode = createEncoder();

  app.get('/v1/catalog/events', (c) => {
    const { cursor, events, isReset } = plane.catalogEvents(c.req.query('after'));
    const viewer = roleViewerOf(exchangeOf(c));
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
    const x = exchangeOf(c);
    const isGood = createStanding(authenticate, x.headers.authorization, identityOf(x), x.connection);
    const leave = plane.openStream(identityOf(x));
    return respond(eventStream(plane, c, encode, { isGood, leave }), 200, headers);
  });
}

/** A burst of events is sent as one chunk of up to this size. */
const maxChunkBytes = 64 * 1024;

/** What a reader is let in by, and what to call when it has gone. */
interface Place {
  readonly isGood: () => Promise<boolean>;
  readonly leave: () => void;
}

/** Checks the credentials before each chunk, so at the next keep-alive at the latest. */
function eventStream(
  plane: ControlPlane,
  c: Context,
  encode: (event: UpdateEvent) => Uint8Array,
  { isGood, leave }: Place,
): ReadableStream<Uint8Array> {
  const viewer = roleViewerOf(exchangeOf(c));
  const lastId = c.req.header('Last-Event-ID');
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let wake = () => {};
  let unsubscribe = () => {};
  /** The reader gets the events that wait, and no others. */
  let isLetGo = false;
  let isEnded = false;
  let isCancelled = false;

  const letGo = () => {
    isLetGo = true;
    unsubscribe();
    wake();
  };
  const end = () => {
    isEnded = true;
    waiting.length = 0;
    letGo();
    leave();
  };

  const push = (bytes: Uint8Array) => {
    if (isLetGo) return;
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes > maxWaitingBytes) letGo();
    wake();
  };
  const take = () => {
    const taken: Uint8Array[] = [];
    let bytes = 0;
    do {
      const next = waiting.shift();
      if (next === undefined) break;
      taken.push(next);
      bytes += next.length;
    } while (bytes < maxChunkBytes);
    waitingBytes -= bytes;
    return join(taken, bytes);
  };

  /** Whether the credentials are still good and the reader is there. A check that fails ends the stream. */
  const passes = async () => {
    try {
      if (!(await isGood())) end();
    } catch (error) {
      end();
      throw error;
    }
    return !isEnded;
  };

  return new ReadableStream<Uint8Array>(
    {
      start() {
        exchangeOf(c).abandonSignal().addEventListener('abort', end, { once: true });
        push(encodeText(': connected\n\n'));
        const keepAlive = setInterval(() => push(encodeText(': keep-alive\n\n')), keepAliveMs);
        const stop = plane.onUpdate((event) => {
          const told = isLetGo ? undefined : narrowUpdate(plane.state(), viewer, event);
          if (told !== undefined) push(encode(told));
        }, lastId);
        unsubscribe = () => {
          clearInterval(keepAlive);
          stop();
        };
        if (isLetGo) unsubscribe(); // by what it has missed
      },
      async pull(controller) {
        while (waiting.length === 0 && !isLetGo) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const chunk = take(); // before the check: an event that comes during it needs one of its own
        if (chunk.length > 0 && (await passes())) controller.enqueue(chunk);
        else if (!isCancelled) {
          leave(); // one that was let go has read what waited for it
          controller.close();
        }
      },
      cancel() {
        isCancelled = true;
        end();
      },
    },
    { highWaterMark: 0 },
  );
}

/** All readers receive an event before the next one, so those that see the whole event share its bytes. */
function createEncoder(): (event: UpdateEvent) => Uint8Array {
  let last: { readonly event: UpdateEvent; readonly bytes: Uint8Array } | undefined;
  return (event) => {
    if (last?.event !== event) last = { event, bytes: encodeText(toText(event)) };
    return last.bytes;
  };
}

function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

/** JSON text holds no line break, so one data line is enough. */
function toText({ kind, id, data }: UpdateEvent): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
