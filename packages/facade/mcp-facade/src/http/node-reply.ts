// The answer to one call over node:http: JSON where nothing comes before it, else a stream that ends with it.
import type { ServerResponse } from 'node:http';
import { type JsonObject, securityHeaders } from '@portico/contracts';
import type { HttpInfo } from '../calls/request-context.js';
import type { CallWire } from '../direct/direct-calls.js';
import type { WriteHead } from './options.js';

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

/** Of answers that have some headers in common. */
export function replyHeadsWith(own: Readonly<Record<string, string>>): ReplyHeads {
  return {
    json: Object.freeze({ 'Content-Type': 'application/json', ...securityHeaders, ...own }),
    stream: Object.entries({ ...streamHeaders, ...own }).flat(),
  };
}

export const writePlainHead: WriteHead = (outgoing, status, headers, length) => {
  outgoing.writeHead(status, [...Object.entries(headers).flat(), 'Content-Length', String(length)]);
};

export class NodeReply implements CallWire {
  #isStream = false;
  #isOver = false;
  #pings: NodeJS.Timeout | undefined;

  /** @param onClose called when the answer has left, or its caller; with whether it was complete */
  constructor(
    private readonly outgoing: ServerResponse,
    readonly http: HttpInfo,
    private readonly options: ReplyOptions,
    onClose: (isComplete: boolean) => void,
  ) {
    if (options.pingsFromStart) this.#startPings();
    const end = () => {
      const isComplete = this.#isOver;
      this.#end();
      onClose(isComplete);
    };
    if (outgoing.closed) queueMicrotask(end);
    else outgoing.on('close', end);
  }

  tell(message: JsonObject): void {
    this.#event(JSON.stringify(message));
  }

  answer(text: string, errorCode?: number): void {
    if (this.#isOver) return;
    const { outgoing, options } = this;
    if (this.#isStream) {
      this.#event(text);
      this.#end();
      outgoing.end();
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
    } else this.#beginStream();
    this.#end();
    outgoing.end();
  }

  #event(text: string): void {
    if (this.#isOver) return;
    this.#beginStream();
    this.outgoing.write(`event: message\ndata: ${text}\n\n`);
  }

  #beginStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    this.outgoing.writeHead(200, [...this.options.heads.stream]);
    this.outgoing.flushHeaders();
    this.#startPings();
  }

  #startPings(): void {
    const { keepAliveMs } = this.options;
    if (keepAliveMs < 1 || this.#pings !== undefined || this.#isOver) return;
    this.#pings = setInterval(() => {
      this.#beginStream();
      this.outgoing.write(': keepalive\n\n');
    }, keepAliveMs).unref();
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#pings);
  }
}
