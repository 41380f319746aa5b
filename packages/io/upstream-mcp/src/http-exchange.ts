// One HTTP request and its response, as undici reports them: whether the request has left, the response when its
// headers arrive, and its body in chunks. A class, because every call creates one.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection, Connections, Passenger } from './http-connections.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** A header by its name in lower case; the values of one that came several times are joined as HTTP says. */
  header(name: string): string | undefined;
  /** Gives the body to the reader, with what of it has come before: at most 1 MB, or the exchange ends. */
  read(reader: BodyReader): void;
  /** Ends the exchange with its socket. The reader gets the reason as its failure. */
  destroy(reason?: Error): void;
}

/** Either `onEnd` or `onFailure` is called, once. */
export interface BodyReader {
  /** Must not send requests: undici is still reading the socket. The other two may. */
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  onFailure(reason: Error): void;
}

export interface ExchangeHandler {
  onResponse(response: HttpResponse): void;
  /** There will be no response. `sent`: the request may have been carried out. */
  onFailure(error: Error, sent: boolean): void;
}

/**
 * Bytes of a body that are kept until it is read. The parser is never paused instead: undici asserts that it is not when a
 * socket is reset (`Parser.finish`), where no code of ours could catch it.
 */
const maxHeldBytes = 1024 * 1024;

/** We have ended the exchange ourselves. */
export class ExchangeAborted extends Error {}

export class Exchange implements HttpResponse, Passenger, Dispatcher.DispatchHandler {
  status = 0;
  private connection: Connection | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private headers: IncomingHttpHeaders = {};
  private reader: BodyReader | undefined;
  private brokenBy: Error | undefined;
  private held: Buffer[] | undefined;
  private heldBytes = 0;
  /** The whole body is there, and not read yet. */
  private isHeldWhole = false;
  /** The exchange that this one was redirected to. */
  private next: { abort(): void } | undefined;
  private isAborted = false;
  private isOver = false;

  constructor(
    private readonly connections: Connections,
    private readonly options: Dispatcher.DispatchOptions,
    private readonly handler: ExchangeHandler,
  ) {}

  start(connection: Connection): void {
    this.connection = connection;
    connection.client.dispatch(this.options, this);
  }

  /** Ends the exchange, its body included. */
  abort(): void {
    this.isAborted = true;
    this.next?.abort();
    this.destroy();
  }

  /** The other exchange takes the place of this one. */
  continueAs(next: { abort(): void }): void {
    this.next = next;
    if (this.isAborted) next.abort();
  }

  header(name: string): string | undefined {
    const value = this.headers[name];
    if (!Array.isArray(value)) return value;
    return name === 'content-type' || name === 'location' ? value[0] : value.join(', ');
  }

  read(reader: BodyReader): void {
    const { held = [] } = this;
    this.reader = reader;
    this.held = undefined;
    for (const chunk of held) if (this.brokenBy === undefined) reader.onChunk(chunk);
    const { brokenBy } = this;
    if (brokenBy !== undefined) queueMicrotask(() => reader.onFailure(brokenBy));
    else if (this.isHeldWhole) queueMicrotask(() => reader.onEnd());
  }

  destroy(reason: Error = new ExchangeAborted()): void {
    if (this.isHeldWhole) this.brokenBy ??= reason;
    if (this.isOver) return;
    this.isAborted = true;
    if (this.controller !== undefined) this.controller.abort(reason);
    else this.fail(reason);
  }

  /** undici writes the request to a connected socket right after this. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return; // early hints and their kind
    this.status = status;
    this.headers = headers;
    this.handler.onResponse(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.reader === undefined) this.hold(chunk);
    else this.reader.onChunk(chunk);
  }

  private hold(chunk: Buffer): void {
    this.heldBytes += chunk.length;
    this.held ??= [];
    if (this.heldBytes <= maxHeldBytes) this.held.push(chunk);
    else this.destroy(new Error('too much of the body came before it was read'));
  }

  onResponseEnd(): void {
    const { reader, connection } = this;
    this.isOver = true;
    if (connection !== undefined) this.connections.release(connection);
    if (reader === undefined) this.isHeldWhole = true;
    else queueMicrotask(() => reader.onEnd());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.connection === undefined) this.connections.leave(this);
    else this.connections.drop(this.connection);
    if (!this.isAborted) this.connections.dropIdle();
    const { reader, handler, controller } = this;
    if (this.status === 0) queueMicrotask(() => handler.onFailure(error, controller !== undefined));
    else if (reader === undefined) this.brokenBy = error;
    else queueMicrotask(() => reader.onFailure(error));
  }
}
