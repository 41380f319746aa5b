// A request that stays open, and that the test can break off as a client that goes away does.
import { request as httpRequest } from 'node:http';
import type { Reply } from './client.js';
import type { Daemon } from './daemon.js';

export interface Held<T> {
  /** The answer; rejects when the connection ends without one. */
  readonly reply: Promise<Reply<T>>;
  /** Drops the connection. */
  disconnect(): void;
}

/** POSTs JSON over a connection of its own. */
export function hold<T>(
  { port }: Daemon,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Held<T> {
  const outgoing = httpRequest({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const reply = new Promise<Reply<T>>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('error', reject);
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: JSON.parse(text) }),
      );
    });
  });
  reply.catch(() => {}); // the awaiting test sees it
  outgoing.end(JSON.stringify(body));
  return { reply, disconnect: () => outgoing.destroy() };
}
