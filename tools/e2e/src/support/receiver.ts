// A receiver of webhooks: keeps every request as it came, bytes included, and answers as the test says.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanup } from './cleanup.js';

export interface Notice {
  /** Where people see the ticket. */
  readonly link?: string;
  readonly event: string;
  readonly timestamp: number;
  readonly trace_id: string;
  readonly approval: Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly status: Readonly<Record<string, unknown>>;
  };
}

export interface Delivery {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly notice: Notice;
}

export interface Receiver {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Deliveries of one event. */
  of(event: string): readonly Delivery[];
}

/** @param answer status for the n-th request, from 1; null gives no answer at all */
export async function startReceiver(answer: (count: number) => number | null = () => 204): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const raw = Buffer.concat(chunks);
      const { method = '', headers, url: path = '' } = incoming;
      deliveries.push({ method, path, headers, raw, notice: JSON.parse(raw.toString('utf8')) });
      const status = answer(deliveries.length);
      if (status !== null) outgoing.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    of: (event) => deliveries.filter(({ notice }) => notice.event === event),
  };
}
