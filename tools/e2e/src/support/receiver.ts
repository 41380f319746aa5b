// A receiver of webhooks: keeps every request unchanged, bytes included, and answers as the test says.
import { EventEmitter, once } from 'node:events';
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
  /** Resolves with the first delivery of an event for this ticket, also where it has come already. */
  arrival(event: string, approvalId: string): Promise<Delivery>;
}

/** @param answer status for the n-th request, from 1; null gives no answer at all */
export async function startReceiver(answer: (count: number) => number | null = () => 204): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const raw = Buffer.concat(chunks);
      const { method = '', headers, url: path = '' } = incoming;
      deliveries.push({ method, path, headers, raw, notice: JSON.parse(raw.toString('utf8')) });
      arrivals.emit('delivery');
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
  const of: Receiver['of'] = (event) => deliveries.filter(({ notice }) => notice.event === event);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    of,
    async arrival(event, approvalId) {
      for (;;) {
        const delivery = of(event).find(({ notice }) => notice.approval.id === approvalId);
        if (delivery !== undefined) return delivery;
        await once(arrivals, 'delivery');
      }
    },
  };
}
