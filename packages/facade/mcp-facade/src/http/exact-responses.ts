// Numbers of results that the SDK writes over HTTP, which it does with JSON.stringify. Each that would be written in another
// way is given to it as a string with a mark, and the mark and the quotes are taken off the text that leaves.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { exactNumbers, exactTextOf } from '@portico/contracts';
import { isStream } from './stream-response.js';

type Body = ReadableStream<Uint8Array>;

export interface ExactResponses {
  /** Marks the numbers of the results that are sent by way of a transport. */
  mark<T extends Pick<Transport, 'send'>>(transport: T): T;
  /** The answer of such a transport, with these numbers as the server wrote them. */
  restore(response: Response): Promise<Response>;
  /** As `restore`, for a body that is an event stream of which the SDK writes one event at a time. */
  restoreEvents(body: Body): Body;
}

/** @param mark a secret of this process; it is never sent */
export function createExactResponses(mark: string): ExactResponses {
  const marked = new RegExp(`"${mark}([-+.\\deE]+)"`, 'g');

  const restoreText = (bytes: Uint8Array): Uint8Array => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return text.includes(mark) ? Buffer.from(text.toString('utf8').replace(marked, '$1')) : bytes;
  };

  const restoreEvents = (body: Body): Body => {
    const transform = (event: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) =>
      controller.enqueue(restoreText(event));
    return body.pipeThrough(new TransformStream({ transform }));
  };

  return {
    restoreEvents,
    mark(transport) {
      const { send } = transport;
      transport.send = (message, options) => send.call(transport, withMarks(message, mark), options);
      return transport;
    },
    async restore(response) {
      const { body, status, headers } = response;
      if (body === null) return response;
      const restored = isStream(response)
        ? restoreEvents(body)
        : restoreText(new Uint8Array(await response.arrayBuffer()));
      return new Response(restored, { status, headers });
    },
  };
}

function withMarks(message: JSONRPCMessage, mark: string): JSONRPCMessage {
  if (!('result' in message) || !(exactNumbers in message.result)) return message;
  return { ...message, result: copyWith(message.result, mark) as typeof message.result }; // an object, as it was
}

function copyWith(value: unknown, mark: string): unknown {
  if (typeof value !== 'object' || value === null || !(exactNumbers in value)) return value;
  const copyOf = (key: string | number, member: unknown): unknown => {
    const text = typeof member === 'number' ? exactTextOf(value, key, member) : undefined;
    return text === undefined ? copyWith(member, mark) : mark + text;
  };
  if (Array.isArray(value)) return value.map((item, at) => copyOf(at, item));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(key, member)]));
}
