// A SIEM on a real socket, which answers as a test says. For tests only.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditRecord } from '@portico/audit-chain';
import { type Counter, createCounter } from '../../testing/counter.js';

export interface ReceivedRequest {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The records in it, in either format. */
  readonly records: readonly AuditRecord[];
}

/** `nth` counts the requests from 1. */
export type Answer = (response: ServerResponse, nth: number, request: ReceivedRequest) => void;

export interface Receiver {
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
  readonly arrived: Counter;
  /** Requests whose connection ended before they were answered. */
  readonly cutOff: Counter;
  /** `seq` of all records, as they arrived. */
  seqs(): readonly number[];
  close(): Promise<void>;
}

export async function startReceiver(answer: Answer): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const arrived = createCounter();
  const cutOff = createCounter();
  const server = createServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) cutOff.add();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const received = { url: request.url, headers: request.headers, body, records: recordsIn(body) };
    requests.push(received);
    answer(response, requests.length, received);
    arrived.add();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    arrived,
    cutOff,
    seqs: () => requests.flatMap(({ records }) => records.map(({ seq }) => seq)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const answerWith =
  (...statuses: readonly number[]): Answer =>
  (response, nth) =>
    response.writeHead(statuses[Math.min(nth, statuses.length) - 1] ?? 200).end();

export const neverAnswer: Answer = () => {};

/** Webhooks carry one object, Splunk's collector gets one object a line. */
function recordsIn(body: string): AuditRecord[] {
  return body.split('\n').flatMap((line) => {
    const value = JSON.parse(line);
    return value.events ?? [value.event];
  });
}
