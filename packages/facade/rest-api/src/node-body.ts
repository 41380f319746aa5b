// The body of a request of node:http that is not there at once: read to its end, or thrown away where it is not wanted.
import type { IncomingMessage } from 'node:http';
import { BodyTooLarge, endedEarly, maxBodyBytes } from './request.js';

const empty = Buffer.alloc(0);

/**
 * The body where more than the arrived data may belong to it. Its failure is in a promise, to be stored as well: the
 * body can be read once.
 * @throws PorticoError in the promise: OPERATION_CANCELLED, BodyTooLarge
 */
export async function readNodeBody(incoming: IncomingMessage, arrived: Buffer | null): Promise<Uint8Array> {
  if (incoming.complete) return checkLength(incoming, arrived ?? empty);
  return readRest(incoming, arrived === null ? [] : [arrived]);
}

function checkLength(incoming: IncomingMessage, bytes: Buffer): Uint8Array {
  const declared = incoming.headers['content-length'];
  if (declared === undefined && bytes.length > maxBodyBytes) throw new BodyTooLarge();
  if (declared !== undefined && Number(declared) !== bytes.length) throw endedEarly(incoming.errored);
  return bytes;
}

function readRest(incoming: IncomingMessage, chunks: Buffer[]): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let length = chunks[0]?.length ?? 0;
    const settle = () => {
      incoming.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= maxBodyBytes) return;
      settle();
      incoming.pause();
      reject(new BodyTooLarge());
    };
    const onEnd = () => {
      settle();
      resolve(Buffer.concat(chunks, length));
    };
    const onClose = () => {
      settle();
      if (!incoming.complete) return reject(endedEarly(incoming.errored));
      const rest: Buffer | null = incoming.read();
      resolve(Buffer.concat(rest === null ? chunks : [...chunks, rest]));
    };
    if (incoming.destroyed) return onClose();
    incoming.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** How long a connection waits for a body that has no reader, and how much of it. */
const discardMs = 500;
const maxDiscardedBytes = 64 * 1024 * 1024;

/** Lets the rest of a body pass, so that the connection can be used again; closes the connection where it is too much. */
export function discardBody(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  let length = 0;
  const stop = () => {
    clearTimeout(timer);
    incoming.off('data', onData).off('end', stop).off('close', stop);
  };
  const giveUp = () => {
    stop();
    incoming.socket.destroySoon();
  };
  const onData = (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxDiscardedBytes) giveUp();
  };
  const timer = setTimeout(giveUp, discardMs).unref();
  incoming.on('data', onData).on('end', stop).on('close', stop).resume();
}
