// JSON-RPC over a pair of streams, a message a line (MCP, transports, stdio). Messages are checked, not changed.
import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import {
  clientBounds,
  exactNumbers,
  excessOf,
  isJsonObject,
  type JsonObject,
  mayHoldExact,
  parseExact,
  parseJson,
  writeExact,
} from '@portico/contracts';
import { isReplaceable, maxUnreadBytes } from '../calls/unread-notices.js';
import { createGatheredLines, type GatheredLines } from './gathered-lines.js';
import { type LineReader, readLines, tooLongMessage } from './lines.js';

export interface Pipe {
  readonly input: Readable;
  readonly output: Writable;
}

export interface LineHooks {
  /** May change a message or wait before it is delivered; messages stay in order. */
  readonly prepare?: (message: JsonObject) => Promise<JsonObject> | JsonObject;
  /** Serves a message at once, or leaves it by false. Asked only while all before it have reached the SDK's reader. */
  readonly serve?: (message: JsonObject) => boolean;
  /** Sees what is sent. */
  readonly onSent?: (message: JSONRPCMessage) => void;
  /** Called when a client does not read what it is sent. */
  readonly onSlow?: (reason: string) => void;
}

/** Maximum data waiting for a client that does not read; its connection ends with the next message. */
const maxWaitingBytes = 64 * 1024 * 1024;

const parseError = -32700;
const invalidRequest = -32600;

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #pipe: Pipe;
  readonly #hooks: LineHooks;
  readonly #lines: GatheredLines;
  #isDropping = false;
  /** Messages that the SDK has not surely read yet: none may overtake them. */
  #underWay = 0;
  #reader: LineReader | undefined;
  #delivered: Promise<void> = Promise.resolve();
  #isClosed = false;
  #resolveClosed = () => {};
  /** Resolves when it is closed, by whichever side. */
  readonly closed: Promise<void> = new Promise((resolve) => {
    this.#resolveClosed = resolve;
  });

  constructor(pipe: Pipe, hooks: LineHooks = {}) {
    this.#pipe = pipe;
    this.#hooks = hooks;
    this.#lines = createGatheredLines(pipe.output);
  }

  async start(): Promise<void> {
    this.#pipe.output.on('error', () => this.close());
    this.#reader = readLines(this.#pipe.input, {
      onLine: (line) => this.#receive(line),
      onTooLong: () => this.#refuse(null, invalidRequest, tooLongMessage),
      onEnd: () => void this.#delivered.then(() => this.close()),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#hooks.onSent?.(message);
    if (this.#hasRoom('method' in message && isReplaceable(message.method))) this.#write(messageText(message));
  }

  /** Sends an answer whose text is there already. */
  sendAnswer(id: string | number, text: string): void {
    this.#hooks.onSent?.({ jsonrpc: '2.0', id, result: {} });
    if (this.#hasRoom(false)) this.#write(text);
  }

  /** Whether a message may be sent. Ends the connection of a client that has stopped reading. */
  #hasRoom(isDroppable: boolean): boolean {
    const waiting = this.#lines.waiting();
    if (waiting > maxWaitingBytes) {
      this.#hooks.onSlow?.(`an MCP client does not read: ${waiting} bytes wait for it, and its connection is ended`);
      void this.close();
      return false;
    }
    if (waiting <= maxUnreadBytes) this.#isDropping = false;
    else if (isDroppable) {
      if (!this.#isDropping) this.#hooks.onSlow?.('an MCP client reads too slowly: progress and logs are left out');
      this.#isDropping = true;
      return false;
    }
    return true;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lines.flush();
    this.#reader?.stop();
    this.onclose?.();
    this.#resolveClosed();
  }

  #receive(line: string): void {
    const value = this.#parse(line);
    if (value === undefined) return;
    if (this.#underWay === 0 && isJsonObject(value) && this.#hooks.serve?.(value) === true) return;
    const message = this.#check(value);
    if (message !== undefined) this.#deliver(message);
  }

  #deliver(message: JsonObject): void {
    this.#underWay += 1;
    this.#delivered = this.#delivered
      .then(() => this.#hooks.prepare?.(message) ?? message)
      .then((prepared) => {
        if (!this.#isClosed) this.onmessage?.(prepared as unknown as JSONRPCMessage); // checked when it was parsed
      })
      .catch((error: unknown) => this.onerror?.(error instanceof Error ? error : new Error(String(error))))
      .finally(() => setImmediate(this.#onRead)); // it hands a message on within the turn in which it gets it
  }

  readonly #onRead = () => {
    this.#underWay -= 1;
  };

  /** Undefined, and answered, where it is no JSON. */
  #parse(line: string): unknown {
    try {
      const excess = excessOf(line, clientBounds);
      if (excess !== undefined) return this.#refuse(null, parseError, `Parse error: ${excess}`);
      return mayHoldExact.test(line) ? parseExact(line) : parseJson(line);
    } catch {
      return this.#refuse(null, parseError, 'Parse error: a line that is not JSON');
    }
  }

  #check(value: unknown): JsonObject | undefined {
    try {
      parseJSONRPCMessage(value);
      return isJsonObject(value) ? value : undefined;
    } catch {
      return this.#refuse(idOf(value), invalidRequest, 'Invalid Request: not a JSON-RPC message');
    }
  }

  #refuse(id: string | number | null, code: number, message: string): undefined {
    this.#write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }

  #write(text: string): void {
    if (!this.#isClosed) this.#lines.add(text);
  }
}

function idOf(value: unknown): string | number | null {
  const id = isJsonObject(value) ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The numbers of a result are written as the server wrote them. */
function messageText(message: JSONRPCMessage): string {
  if (!('result' in message) || !(exactNumbers in message.result)) return JSON.stringify(message);
  const { result, ...rest } = message;
  return `{"result":${writeExact(result)},${JSON.stringify(rest).slice(1)}`;
}
