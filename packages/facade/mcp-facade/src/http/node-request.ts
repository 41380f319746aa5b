// A request of node:http that is written in the plainest way, and its body. An unusual request is left to `fetch`, with
// all rules.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  clientBounds,
  excessOf,
  isJsonObject,
  type JsonObject,
  mayHoldExact,
  parseExact,
  parseJson,
} from '@portico/contracts';
import type { HeaderSource } from '../calls/request-context.js';

const paths = ['/mcp', '/'];
const maxBytes = 4 * 1024 * 1024;

/** Whether it is a POST of JSON to the endpoint that asks for nothing but an answer, of which every header is there once. */
export function isPlainPost(incoming: IncomingMessage): boolean {
  const { method, url = '', headers } = incoming;
  if (method !== 'POST' || !paths.includes(url) || headers['content-type'] !== 'application/json') return false;
  const { accept = '', origin, expect } = headers;
  if (origin !== undefined || expect !== undefined || headers['x-service-profile'] !== undefined) return false;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  if (headers['transfer-encoding'] !== undefined || !(Number(headers['content-length']) <= maxBytes)) return false;
  let names = 0;
  for (const _name in headers) names += 1;
  return names * 2 === incoming.rawHeaders.length;
}

export function headersOf({ headers }: IncomingMessage): HeaderSource {
  return {
    get(name) {
      const value = headers[name];
      return typeof value === 'string' ? value : null;
    },
  };
}

/** The whole body; undefined if the caller went away before its end. Read at once where it is there already. */
export function readWhole(incoming: IncomingMessage, onBody: (bytes: Buffer | undefined) => void): void {
  const arrived: Buffer | null = incoming.read();
  // Node reports the last byte of a body with a Content-Length before its end.
  if (arrived !== null && incoming.headers['content-length'] === String(arrived.length)) {
    onBody(arrived);
    return;
  }
  if (incoming.complete) {
    onBody(arrived ?? Buffer.alloc(0));
    return;
  }
  const chunks: Buffer[] = arrived === null ? [] : [arrived];
  let isOver = false;
  const end = (bytes: Buffer | undefined) => {
    if (isOver) return;
    isOver = true;
    onBody(bytes);
  };
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => end(Buffer.concat(chunks)));
  incoming.on('error', () => end(undefined));
  incoming.on('close', () => end(undefined));
}

/** Undefined for what is no JSON object in UTF-8, or beyond the bounds. */
export function parseMessage(bytes: Buffer): JsonObject | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const text = bytes.toString('utf8'); // a TextDecoder that is fatal gives strings of two bytes a character
    if (excessOf(text, clientBounds) !== undefined) return undefined;
    const value: unknown = mayHoldExact.test(text) ? parseExact(text) : parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
