// The answer to one call over node:http: JSON where nothing comes before it and the configuration has it so, else a stream
// that ends with it.
import type { ServerResponse } from 'node:http';
import { type JsonObject, securityHeaders } from '@portico/contracts';
import type { HttpInfo } from '../calls/request-context.js';
import { isReplaceable, maxUnreadBytes } from '../calls/unread-notices.js';
import type { CallWire } from '../direct/direct-calls.js';
import type { RpcId } from '../direct/plain-call.js';
import type { Answering, EventStream, StreamReader } from './event-stream.js';
import type { WriteHead } from './options.js';
import type { SessionStreams } from './session-streams.js';

export interface ReplyOptions {
  readonly heads: ReplyHeads;
  /** Writes the head of an answer in JSON. */
  readonly writeHead: WriteHead;
  /** Between pings on the stream, milliseconds; 0 for none. */
  readonly keepAliveMs: number;
  /** Pings also a caller that has had nothing yet, for whom the answer becomes a stream by it. */
  readonly pingsFromStart: boolean;
  /** Status of an error, by its code of JSON-RPC. */
  readonly statusOf: (errorCode: number) => number;
  /** How an answer ends that never begins. */
  readonly endWithout: 'stream' | 499;
  /** Whether an answer is a stream from its start on, where nothing comes before it as well. */
  readonly isAlwaysStream: boolean;
  /** The streams of a session, whose clients reconnect for the rest of a stream. */
  readonly streams?: SessionStreams;
}

export interface ReplyHeads {
  /** Frozen, since many answers share it. */
  readonly json: Readonly<Record<string, string>>;
  /** Names and values in turns. */
  readonly stream: readonly string[];
}

const { 'Cache-Control': _, ...streamSecurity } = securityHeaders;
const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
  ...streamSecurity,
};

/** Heads of answers that have some headers in common. */
export function replyHeadsWith(own: Readonly<Record<string, string>>): ReplyHeads {
  return {
    json: Object.freeze({ 'Content-Type': 'application/json', ...securityHeaders, ...own }),
    stream: Object.entries({ ...streamHeaders, ...own }).flat(),
  };
}

export const writePlainHead: WriteHead = (outgoing, status, headers, length) => {
  outgoing.writeHead(status, [...Object.entries(headers).flat(), 'Content-Length', String(length)]);
};

export class NodeReply implements CallWire, StreamReader {
  #isStream = false;
  /** The stream that its client resumes, once it has received the id. */
  #stream: EventStream | undefined;
  #isOver = false;
  #pings: NodeJS.Timeout | undefined;

  /**
   * @param id of the request
   * @param onClose called when the answer has left, or its caller; with whether it was complete
   */
  constructor(
    private readonly outgoing: ServerResponse,
    private readonly id: RpcId,
    readonly http: HttpInfo,
    private readonly options: ReplyOptions,
    onClose: (isComplete: boolean) => void,
  ) {
    if (options.pingsFromStart) this.#startPings();
    const end = () => {
      const isComplete = this.#isOver;
      if (this.#stream === undefined) this.#end();
      else this.#stream.detach(this);
      onClose(isComplete);
    };
    if (outgoing.closed) queueMicrotask(end);
    else outgoing.on('close', end);
    if (options.isAlwaysStream) this.#beginStream();
  }

  notify(message: JsonObject): void {
    if (isReplaceable(message.method) && this.#isUnread()) return;
    this.#event(JSON.stringify(message));
  }

  answer(text: string, errorCode?: number): void {
    if (this.#isOver) return;
    const { outgoing, options } = this;
    if (this.#isStream) {
      this.#event(text, { id: this.id, isLast: true });
      this.#endStream();
      return;
    }
    this.#end();
    const { req: incoming } = outgoing;
    if (incoming.complete && !incoming.readableEnded) incoming.read(); // to its end, which the next request waits for
    const status = errorCode === undefined ? 200 : options.statusOf(errorCode);
    options.writeHead(outgoing, status, options.heads.json, Buffer.byteLength(text));
    // Head and text in one write: `end` with a text would add an empty one for its callback.
    outgoing.write(text);
    outgoing.socket?.uncork();
    outgoing.end();
  }

  close(): void {
    if (this.#isOver) return;
    const { outgoing, options } = this;
    if (!this.#isStream && options.endWithout === 499) {
      outgoing.writeHead(499, { ...securityHeaders, 'Content-Length': '0' });
      this.#end();
      outgoing.end();
    } else {
      this.#beginStream();
      this.#endStream();
    }
  }

  /** For its stream to call, as the other three. */
  write(text: string): boolean {
    const { outgoing, options } = this;
    const maxWaitingBytes = options.streams?.maxWaitingBytes ?? Number.POSITIVE_INFINITY;
    if (outgoing.writableLength >= maxWaitingBytes) return false;
    outgoing.write(text);
    return true;
  }

  writeFinal(text: string): void {
    this.outgoing.write(text);
  }

  end(): void {
    this.outgoing.end();
  }

  drop(): void {
    this.outgoing.destroy();
  }

  #event(text: string, answering?: Answering): void {
    if (this.#isOver) return;
    this.#beginStream();
    if (this.#stream === undefined) this.outgoing.write(`event: message\ndata: ${text}\n\n`);
    else this.#stream.send(text, answering);
  }

  /** Whether its client does not read. A stream of a session drops such a client, which comes again. */
  #isUnread(): boolean {
    return this.#stream === undefined && this.outgoing.writableLength > maxUnreadBytes;
  }

  #endStream(): void {
    this.#end();
    if (this.#stream === undefined) this.outgoing.end();
    else this.#stream.end();
  }

  #beginStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    this.outgoing.writeHead(200, [...this.options.heads.stream]);
    this.outgoing.flushHeaders();
    const stream = this.options.streams?.open();
    if (stream === undefined) {
      this.#startPings();
      return;
    }
    clearInterval(this.#pings); // it has pings of its own
    this.#stream = stream;
    stream.begin(this, this.http.req?.headers.get('mcp-protocol-version') ?? null);
  }

  #startPings(): void {
    const { keepAliveMs } = this.options;
    if (keepAliveMs < 1 || this.#pings !== undefined || this.#isOver) return;
    this.#pings = setInterval(() => {
      this.#beginStream();
      if (this.#stream === undefined && !this.#isUnread()) this.outgoing.write(': keepalive\n\n');
    }, keepAliveMs).unref();
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#pings);
  }
}
