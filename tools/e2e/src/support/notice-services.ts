// Services that take notices, as ntfy, Slack and Telegram do: each keeps what it was sent and answers as the test says.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanup } from './cleanup.js';

export interface Sent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

export interface NoticeService {
  readonly url: string;
  readonly sent: readonly Sent[];
}

export const taken: ServiceAnswer = { status: 200, text: '{"ok":true}' };

/** @param answer to the n-th request, from 1; null gives none at all */
export async function startNoticeService(
  answer: (count: number) => ServiceAnswer | null = () => taken,
): Promise<NoticeService> {
  const sent: Sent[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { headers, url: path = '' } = incoming;
      sent.push({ path, headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      const given = answer(sent.length);
      if (given !== null) outgoing.writeHead(given.status, given.headers).end(given.text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}
