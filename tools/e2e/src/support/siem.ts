// Receivers of audit records: one that speaks as Splunk's HTTP Event Collector does, one that takes webhooks.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditEvent } from './audit.js';
import { onCleanup } from './cleanup.js';

export interface HecEvent {
  readonly time: number;
  readonly event: AuditEvent;
  readonly index?: string;
  readonly source?: string;
  readonly sourcetype: string;
}

export interface SiemRequest<T> {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly events: readonly T[];
  /** Whether the receiver has taken the events; it may have said otherwise. */
  readonly isTaken: boolean;
}

export interface SiemReceiver<T> {
  readonly url: string;
  readonly requests: readonly SiemRequest<T>[];
  /** Events of the requests that were taken, in order. */
  readonly taken: () => readonly T[];
}

/** How a receiver fails: before or after it has taken the events, with a status or without any answer. */
export type Mood = 'fine' | 'busy' | 'drops' | 'takes and drops' | 'silent';

function startServer<T>(
  parse: (body: string, headers: IncomingHttpHeaders) => readonly T[],
  accept: (outgoing: ServerResponse) => void,
  moodOf: (count: number) => Mood,
): Promise<SiemReceiver<T>> {
  const requests: SiemRequest<T>[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { url: path = '', headers } = incoming;
      const mood = moodOf(requests.length + 1);
      const events = parse(Buffer.concat(chunks).toString('utf8'), headers);
      requests.push({ path, headers, events, isTaken: mood === 'fine' || mood === 'takes and drops' });
      if (mood === 'fine') accept(outgoing);
      else if (mood === 'busy') outgoing.writeHead(503).end('{"text":"Server is busy","code":9}');
      else if (mood !== 'silent') outgoing.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return once(server, 'listening').then(() => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    taken: () => requests.flatMap(({ isTaken, events }) => (isTaken ? events : [])),
  }));
}

/** Splunk takes event objects one after the other, with anything or nothing in between. */
export function startSplunk(token: string, moodOf: (count: number) => Mood = () => 'fine') {
  const parse = (body: string, { authorization }: IncomingHttpHeaders): readonly HecEvent[] => {
    if (authorization !== `Splunk ${token}`) throw new Error('the token is wrong');
    return body
      .trim()
      .split(/(?<=\})\s*(?=\{"(?:time|event|index|source|sourcetype)":)/)
      .map((text) => JSON.parse(text));
  };
  return startServer(parse, (outgoing) => outgoing.end('{"text":"Success","code":0}'), moodOf);
}

export function startCollector(moodOf: (count: number) => Mood = () => 'fine') {
  const parse = (body: string): readonly AuditEvent[] => JSON.parse(body).events;
  return startServer(parse, (outgoing) => outgoing.writeHead(204).end(), moodOf);
}
