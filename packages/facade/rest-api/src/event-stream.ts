// A stream of server-sent events (WHATWG HTML, section 9.2) to one reader. Writing never waits for it: unread events
// wait here, and the writer asks whether there is room. A reader whose credentials are no longer valid gets nothing
// else.
import { type Authenticate, type ControlPlane, createStanding } from '@portico/control-plane';
import type { Context } from 'hono';
import { respond } from './answer.js';
import { identityOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

const keepAliveMs = 15_000;

/** Bytes that may wait for a reader. It can come back with `Last-Event-ID` and misses nothing that is still kept. */
const maxWaitingBytes = 1024 * 1024;
/** A burst of events is sent as one chunk of up to this size. */
const maxChunkBytes = 64 * 1024;

export interface EventSink {
  push(bytes: Uint8Array): void;
  /** Whether more waits than may. */
  isFull(): boolean;
  /** The reader gets what waits, and nothing else. */
  letGo(): void;
}

export interface EventSource {
  /** Begins to write. The returned function ends that. */
  start(sink: EventSink): () => void;
  /** Called when the reader has taken all that waited. */
  onRead?(sink: EventSink): void;
}

/** The answer to a request for a stream. */
export function answerEvents(
  plane: Pick<ControlPlane, 'openStream'>,
  c: Context,
  authenticate: Authenticate,
  source: EventSource,
): Response {
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };
  if (c.req.method === 'HEAD') return respond(null, 200, headers); // Hono asks for it by GET
  const x = exchangeOf(c);
  const isGood = createStanding(authenticate, x.headers.authorization, identityOf(x), x.connection);
  const leave = plane.openStream(identityOf(x));
  return respond(eventStream(c, source, { isGood, leave }), 200, headers);
}

/** JSON text holds no line break, so one data line is enough. */
export function encodeEvent(event: string, data: unknown, id?: string): Uint8Array {
  return encodeText(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A reader: its credentials, and the function to call when it has disconnected. */
interface Subscriber {
  readonly isGood: () => Promise<boolean>;
  readonly leave: () => void;
}

/** Checks the credentials before each chunk, so at the next keep-alive at the latest. */
function eventStream(c: Context, source: EventSource, { isGood, leave }: Subscriber): ReadableStream<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let wake = () => {};
  let unsubscribe = () => {};
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
  const sink: EventSink = { push, letGo, isFull: () => waitingBytes > maxWaitingBytes };

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
        const keepAlive = setInterval(() => {
          if (!sink.isFull()) push(encodeText(': keep-alive\n\n'));
        }, keepAliveMs);
        const stop = source.start(sink);
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
        if (waiting.length === 0) source.onRead?.(sink);
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
