// One stream of a session (MCP 2025-11-25, streamable HTTP): what belongs to one request, or to none. It outlives the
// connections by which it is read, and its events are kept for the next one.
import type { JsonValue } from '@portico/contracts';
import type { KeptEvent, SessionEvents } from './kept-events.js';

/** One connection that reads a stream. */
export interface StreamReader {
  /** False if too much of what it was given before has not left: it has to come again. */
  write(text: string): boolean;
  /** Writes what a stream ends with, however much waits: the client would come again for this alone. */
  writeFinal(text: string): void;
  /** Nothing follows. */
  end(): void;
  /** Ends it with what has not left. */
  drop(): void;
}

/** The request that an event answers. */
export interface Answering {
  /** The id of the request. */
  readonly id: JsonValue;
  /** No other request of the stream is without an answer. */
  readonly isLast: boolean;
}

export interface StreamOptions {
  /** Between pings, milliseconds; 0 for none. */
  readonly keepAliveMs: number;
  /** After which a connection is closed before the answer, for clients that come again; null for never. */
  readonly pollMs: number | null;
  /** Called when it is over and nothing of it is kept. */
  readonly onGone: (stream: EventStream) => void;
}

/** Milliseconds after which a client is to come again. */
const retryMs = 1000;
/** The revision from which clients expect an event without data, and that streams end before the answer (SEP-1699). */
const pollingRevision = '2025-11-25';
const internalError = -32603;

export class EventStream {
  readonly #kept = new Set<KeptEvent>();
  #number = 0;
  /** The number of the newest event that was dropped, or never stored. */
  #lost = 0;
  #reader: StreamReader | undefined;
  #isPrimed = false;
  #isOver = false;
  #pings: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;

  /** @param key in front of the numbers in its event ids */
  constructor(
    readonly key: string,
    private readonly events: SessionEvents,
    private readonly options: StreamOptions,
  ) {}

  get isRead(): boolean {
    return this.#reader !== undefined;
  }

  /** Whether an event of this number was sent (0 for the time before the first) and all that were sent after it are kept. */
  canResume(after: number): boolean {
    return after <= this.#number && after >= this.#lost;
  }

  /** Its first connection, or for a stream that belongs to no request another one. @param revision that the client speaks */
  begin(reader: StreamReader, revision: string | null): void {
    this.#isPrimed = revision !== null && revision >= pollingRevision;
    this.#attach(reader, this.#number);
  }

  /** The connection of a client that has everything up to this event. Takes the place of one that is still there. */
  resume(reader: StreamReader, after: number): void {
    this.#reader?.drop();
    this.#attach(reader, after);
    for (const event of [...this.#kept]) {
      if (event.number <= after) this.#forget(event);
      else if (this.#isOver) reader.writeFinal(event.text);
      else this.#write(event.text);
    }
    if (this.#isOver) this.#leave(reader)?.end();
  }

  /** Its connection has closed. */
  detach(reader: StreamReader): void {
    this.#leave(reader);
  }

  /** @param message JSON on one line @param answering where it is an answer */
  send(message: string, answering?: Answering): void {
    if (this.#isOver) return;
    this.#number += 1;
    const text = this.#eventOf(message);
    const instead = () => answering && this.#eventOf(insteadOf(answering.id, Buffer.byteLength(text)));
    if (!this.#keep(text) && !this.#keep(instead())) this.#lost = this.#number;
    if (answering?.isLast === true) this.#reader?.writeFinal(text);
    else this.#write(text);
  }

  /** Nothing follows. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#reader !== undefined) this.#leave(this.#reader)?.end();
    if (this.#kept.size === 0) this.options.onGone(this);
  }

  /** @param after number of the last event that its client has: clients forget it with the connection before */
  #attach(reader: StreamReader, after: number): void {
    const { keepAliveMs, pollMs } = this.options;
    this.#stopTimers();
    this.#reader = reader;
    if (keepAliveMs >= 1) this.#pings = setInterval(() => this.#write(': keepalive\n\n'), keepAliveMs).unref();
    if (!this.#isPrimed) return;
    if (pollMs !== null) this.#poll = setTimeout(() => this.#leave(reader)?.end(), pollMs).unref();
    this.#write(`id: ${this.#idOf(after)}\nretry: ${retryMs}\ndata: \n\n`);
  }

  /** The reader, where it is the one that reads. */
  #leave(reader: StreamReader): StreamReader | undefined {
    if (this.#reader !== reader) return undefined;
    this.#stopTimers();
    this.#reader = undefined;
    return reader;
  }

  #stopTimers(): void {
    clearInterval(this.#pings);
    clearTimeout(this.#poll);
  }

  #write(text: string): void {
    const reader = this.#reader;
    if (reader === undefined || reader.write(text)) return;
    this.#leave(reader)?.drop();
  }

  #idOf(number: number): string {
    return `${this.key}-${number}`;
  }

  #eventOf(message: string): string {
    return `event: message\nid: ${this.#idOf(this.#number)}\ndata: ${message}\n\n`;
  }

  /** Drops what a client has. One that goes back to before it is refused, since it would miss it. */
  #forget(event: KeptEvent): void {
    this.#kept.delete(event);
    this.#lost = Math.max(this.#lost, event.number);
    this.events.drop(event);
  }

  #keep(text: string | undefined): boolean {
    if (text === undefined) return false;
    const onGone = (event: KeptEvent) => {
      if (this.#kept.delete(event)) this.#lost = Math.max(this.#lost, event.number);
      if (this.#isOver && this.#kept.size === 0) this.options.onGone(this);
    };
    const event = { text, number: this.#number, bytes: Buffer.byteLength(text), onGone };
    this.#kept.add(event);
    const isKept = this.events.keep(event);
    if (!isKept) this.#kept.delete(event);
    return isKept;
  }
}

/** The replacement of an answer that is too large to be kept, for a client that reconnects. */
function insteadOf(id: JsonValue, bytes: number): string {
  const said = `the request has been carried out, and its answer is no longer here: its ${bytes} bytes are more than limits.resumableBytes keeps for a connection that broke off; see what it did before you send it again`;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: internalError, message: said } });
}
