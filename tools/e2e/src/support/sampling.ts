// Sampling tickets as a test sees them, and a provider that answers them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { onCleanup } from './cleanup.js';
import type { Reply } from './client.js';
import type { Daemon } from './daemon.js';
import { eventually } from './wait.js';

export type Plain = Readonly<Record<string, unknown>>;

export interface SamplingTicket {
  readonly id: string;
  readonly server_id: string;
  readonly messages: readonly Plain[];
  readonly max_tokens: number | null;
  readonly params?: Plain;
  readonly status: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly origin: string;
  readonly result?: Plain;
}

interface SamplingList {
  readonly ok: boolean;
  readonly requests: readonly SamplingTicket[];
  readonly total: number;
}

export interface Created {
  readonly ok: boolean;
  readonly trace_id: string;
  readonly data: Plain;
  readonly error: { readonly code: string; readonly message: string };
}

export interface Responded {
  readonly ok: boolean;
  readonly request: SamplingTicket;
  readonly error: { readonly code: string; readonly message: string };
}

export const question = [{ role: 'user', content: { type: 'text', text: 'how many?' } }];
export const answer = { role: 'assistant', content: { type: 'text', text: 'four' }, model: 'm' };
export const respondAsync = { prefer: 'respond-async' };

export function samplingOf(daemon: Daemon) {
  const list = (query = ''): Promise<Reply<SamplingList>> => daemon.get(`/v1/sampling/requests${query}`);
  const get = async (id: string) => {
    const { status, body } = await daemon.get<Responded>(`/v1/sampling/requests/${id}`);
    expect(status).toBe(200);
    return body.request;
  };
  const create = (body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    daemon.post<Created>('/v1/sampling/create_message', { server_id: 's', messages: question, ...body }, headers);
  return {
    list,
    get,
    create,
    /** Opens a ticket without waiting, and gives its id. */
    async open(body: object = {}): Promise<string> {
      const { status, body: created } = await create(body, respondAsync);
      expect(status).toBe(202);
      return String(created.data.ticket_id);
    },
    respond: (id: string, body: object = answer): Promise<Reply<Responded>> =>
      daemon.post(`/v1/sampling/requests/${id}/respond`, body),
    reaches: (id: string, status: string) =>
      eventually(async () => {
        const ticket = await get(id);
        expect(ticket.status).toBe(status);
        return ticket;
      }),
    /** The one ticket that is pending, once it is. */
    pending: () =>
      eventually(async () => {
        const { requests } = (await list('?status=pending')).body;
        expect(requests).toHaveLength(1);
        return requests[0] as SamplingTicket; // as the line above says
      }),
  };
}

export interface Provider {
  readonly url: string;
  readonly requests: readonly { readonly authorization: string | undefined; readonly body: Plain }[];
}

/** An OpenAI-compatible endpoint. @param status of every answer */
export async function startProvider(status = 200): Promise<Provider> {
  const requests: { authorization: string | undefined; body: Plain }[] = [];
  const completion = { model: 'small-1', choices: [{ message: { content: 'forty-two' }, finish_reason: 'stop' }] };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    requests.push({ authorization: incoming.headers.authorization, body });
    outgoing.writeHead(incoming.url === '/v1/chat/completions' ? status : 404).end(JSON.stringify(completion));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}
