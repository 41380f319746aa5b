// Reads the body of an HTTP response as it arrives, up to a size.
import { HttpFailure } from './failures.js';
import type { HttpResponse } from './http-exchange.js';

type Done = (failure: HttpFailure | null) => void;

/**
 * Gives the body chunk by chunk. `done` is called once, at its end: with a failure when it breaks off, or the one that
 * destroyed the response. Requests may be sent from either function.
 */
export function readChunks(response: HttpResponse, place: string, onChunk: (chunk: Buffer) => void, done: Done): void {
  response.read({
    onChunk: (chunk) => queueMicrotask(() => onChunk(chunk)),
    onEnd: () => done(null),
    onFailure: (reason) => done(brokenOff(reason, place)),
  });
}

/** The whole body as text, or the failure when it breaks off or is too large. */
export function readText(
  response: HttpResponse,
  place: string,
  maxBytes: number,
  done: (failure: HttpFailure | null, text: string) => void,
): void {
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let bytes = 0;
  response.read({
    onChunk(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) response.destroy(tooLarge(place, maxBytes));
      else if (first === undefined) first = chunk;
      else if (chunks === undefined) chunks = [first, chunk];
      else chunks.push(chunk);
    },
    onEnd() {
      const whole = chunks === undefined ? first : Buffer.concat(chunks, bytes);
      done(null, whole === undefined ? '' : whole.toString('utf8'));
    },
    onFailure: (reason) => done(brokenOff(reason, place), ''),
  });
}

/** The same for those who wait. @throws HttpFailure */
export function textOf(response: HttpResponse, place: string, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    readText(response, place, maxBytes, (failure, text) => (failure === null ? resolve(text) : reject(failure)));
  });
}

export const tooLarge = (place: string, maxBytes: number): HttpFailure =>
  new HttpFailure(`${place} sent a message of more than ${maxBytes} bytes (a fixed limit)`, { sent: true });

const brokenOff = (reason: Error, place: string): HttpFailure =>
  reason instanceof HttpFailure
    ? reason
    : new HttpFailure(`the reply from ${place} broke off`, { sent: true, cause: reason });

const discardBytes = 64 * 1024;
const discardMs = 1_000;

/** Reads a body that is not wanted, so that its socket can be used again; gives up a long or slow one with its socket. */
export function discard(response: HttpResponse): void {
  let bytes = 0;
  const giveUp = () => response.destroy();
  const timer = setTimeout(giveUp, discardMs).unref();
  const stop = () => clearTimeout(timer);
  response.read({
    onChunk(chunk) {
      bytes += chunk.length;
      if (bytes > discardBytes) giveUp();
    },
    onEnd: stop,
    onFailure: stop,
  });
}
