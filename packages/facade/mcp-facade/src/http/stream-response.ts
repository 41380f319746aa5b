// Streams of sessions as web responses: one connection as a reader of its stream, and answers of the SDK as streams.
import { isJsonObject, type JsonValue, membersOf, parseJson } from '@portico/contracts';
import type { Answering, EventStream, StreamReader } from './event-stream.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Limits of the data that waits for one connection. */
export interface WaitingRoom {
  /** A client that does not read may exceed this by one event. */
  readonly maxBytes: number;
  /** Called with how many bytes more wait now, or fewer. */
  readonly onWaiting: (bytes: number) => void;
}

/**
 * A response whose body is read by one connection.
 * @param withSession the id of the session among them
 * @param room for what its client has not read
 * @param read makes the reader one of its stream
 */
export function toStreamResponse(
  stream: EventStream,
  withSession: Headers,
  room: WaitingRoom,
  read: (reader: StreamReader) => void,
): Response {
  const reader = new BodyWriter(room, () => stream.detach(reader));
  read(reader);
  return new Response(reader.body, {
    status: 200,
    headers: streamHeadersOf(withSession.get('mcp-session-id') ?? ''),
  });
}

/** Holds what a client has not read by itself: what is inside a web stream can only be thrown away as an error, which is logged. */
class BodyWriter implements StreamReader {
  readonly body: ReadableStream<Uint8Array>;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Whether a read of the body waits. */
  #isWanted = false;
  #isOver = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(
    private readonly room: WaitingRoom,
    onCancel: () => void,
  ) {
    const source = {
      start: (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#controller = controller;
      },
      pull: () => {
        this.#isWanted = true;
        this.#flush();
      },
      cancel: () => {
        this.#controller = undefined;
        this.#clear();
        onCancel();
      },
    };
    this.body = new ReadableStream(source, { highWaterMark: 0 });
  }

  write(text: string): boolean {
    if (this.#waitingBytes >= this.room.maxBytes) return false;
    this.writeFinal(text);
    return true;
  }

  writeFinal(text: string): void {
    if (this.#controller === undefined) return; // its client has gone
    const bytes = encoder.encode(text);
    this.#waiting.push(bytes);
    this.#changeWaiting(bytes.length);
    this.#flush();
  }

  end(): void {
    this.#isOver = true;
    this.#flush();
  }

  drop(): void {
    this.#clear();
    this.end();
  }

  /** Hands the body one event for each read: the body holds none, so that all that waits is counted. */
  #flush(): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    const next = this.#isWanted ? this.#waiting.shift() : undefined;
    if (next !== undefined) {
      this.#isWanted = false;
      this.#changeWaiting(-next.length);
      controller.enqueue(next); // may ask for the next at once
    }
    if (this.#controller === undefined || !this.#isOver || this.#waiting.length > 0) return;
    this.#controller = undefined;
    controller.close();
  }

  #clear(): void {
    this.#waiting.length = 0;
    this.#changeWaiting(-this.#waitingBytes);
  }

  #changeWaiting(bytes: number): void {
    this.#waitingBytes += bytes;
    this.room.onWaiting(bytes);
  }
}

function streamHeadersOf(sessionId: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    Connection: 'keep-alive',
    'X-Accel-Buffering': 'no',
    'mcp-session-id': sessionId,
  };
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

export function isStream({ body, headers }: Response): boolean {
  return body !== null && headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/**
 * Passes the SDK's output on to the stream until it ends, read or not.
 * @param asked the request that the stream answers; undefined for none
 * @param first the part that was read before
 */
export async function pump(
  source: BodyReader,
  stream: EventStream,
  asked?: JsonValue,
  first?: Uint8Array,
): Promise<void> {
  const answeringOf = createAnswerCheck(asked);
  const take = (chunk: Uint8Array) => {
    const message = messageIn(chunk);
    if (message !== undefined) stream.send(message, answeringOf(message));
  };
  try {
    if (first !== undefined) take(first);
    for (let part = await source.read(); !part.done; part = await source.read()) take(part.value);
  } finally {
    stream.end();
  }
}

/** The SDK writes one event at a time, its data on one line; its pings are not passed on, since streams have their own. */
export function messageIn(event: Uint8Array): string | undefined {
  return /^event: message\ndata: ([^\n]*)\n\n$/.exec(decoder.decode(event))?.[1];
}

/** Recognises the answers to one body among what comes before them. */
function createAnswerCheck(asked: JsonValue | undefined): (message: string) => Answering | undefined {
  const ids = [asked].flat().flatMap((one) => (isJsonObject(one) && 'method' in one ? (one.id ?? []) : []));
  let waiting = ids.length;
  return (message) => {
    const id = waiting === 0 ? undefined : answeredBy(message, ids);
    if (id === undefined) return undefined;
    waiting -= 1;
    return { id, isLast: waiting === 0 };
  };
}

/** The id of the request that a message answers. */
function answeredBy(message: string, ids: readonly JsonValue[]): JsonValue | undefined {
  if (!isAnswer(message)) return undefined;
  if (beginsWithResult(message) && ids.length === 1) return ids[0];
  const id = membersOf(message).find(({ name }) => name === 'id');
  return id && parseJson(id.valueText);
}

/**
 * Whether a message answers a request, without parsing it: the event loop waits for that. The SDK writes `result` and
 * `method` first; a message that begins otherwise is scanned for its members.
 */
export function isAnswer(message: string): boolean {
  if (beginsWithResult(message)) return true;
  return !message.startsWith('{"method":') && membersOf(message).every(({ name }) => name !== 'method');
}

function beginsWithResult(message: string): boolean {
  return message.startsWith('{"result":');
}
