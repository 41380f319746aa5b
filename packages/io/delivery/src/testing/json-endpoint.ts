// An HTTP endpoint on a real socket that takes JSON, keeps what it received and answers as the test says. For tests only.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@portico/contracts';

export interface ReceivedJson {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

/** `nth` counts the requests from 1. */
export type Answer = (response: ServerResponse, nth: number, body: JsonObject) => void;

export const answerWith =
  (body: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

export function createJsonEndpoints() {
  const closers: (() => Promise<void>)[] = [];
  return {
    /** Listens on a port of its own. */
    async start(answer: Answer) {
      const received: ReceivedJson[] = [];
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const { url, headers } = request;
        const body: JsonObject = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        received.push({ url, headers, body });
        answer(response, received.length, body);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // a TCP server that listens has one
      closers.push(async () => {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      });
      return { origin: `http://127.0.0.1:${port}`, received };
    },
    async closeAll() {
      for (const close of closers.splice(0)) await close();
    },
  };
}
