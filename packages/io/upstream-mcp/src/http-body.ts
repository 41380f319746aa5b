// Reads the body of an HTTP response as it arrives, up to a size.
import type { IncomingMessage } from 'node:http';
import { HttpFailure } from './failures.js';

/** Resolves at the end of the body. Rejects with HttpFailure when it breaks off, or with what destroyed it. */
export function readChunks(response: IncomingMessage, place: string, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const lose = (cause?: Error) =>
      reject(
        cause instanceof HttpFailure
          ? cause
          : new HttpFailure(`the reply from ${place} broke off`, { sent: true, cause }),
      );
    response.on('data', onChunk).once('end', resolve).once('error', lose);
    response.once('close', () => response.readableEnded || lose());
  });
}

/** The whole body as text. @throws HttpFailure when it breaks off or is too large. */
export async function readText(response: IncomingMessage, place: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await readChunks(response, place, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) response.destroy(tooLarge(place, maxBytes));
    else chunks.push(chunk);
  });
  return Buffer.concat(chunks).toString('utf8');
}

export const tooLarge = (place: string, maxBytes: number): HttpFailure =>
  new HttpFailure(`${place} sent a message of more than ${maxBytes} bytes`, { sent: true });

const discardBytes = 64 * 1024;
const discardMs = 1_000;

/** Reads a body nobody wants, so that its socket can be used again; gives up a long or slow one with its socket. */
export function discard(response: IncomingMessage): void {
  let bytes = 0;
  const giveUp = () => void response.destroy();
  const timer = setTimeout(giveUp, discardMs).unref();
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discardBytes) giveUp();
  });
  response.on('error', () => {}).once('close', () => clearTimeout(timer));
}
