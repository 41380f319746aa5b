// Tickets as a test sees them: how a call gets one, how an operator decides on it, and the outcome.
import { expect } from 'vitest';
import type { Reply, RequestOptions } from './client.js';
import type { Daemon } from './daemon.js';
import type { Scripted } from './upstreams.js';
import { eventually } from './wait.js';
import type { Envelope, ToolData } from './wire.js';

export interface TicketStatus {
  readonly status: string;
  readonly operator?: string;
  readonly timestamp?: number;
  readonly reason?: string;
  readonly modified_args?: Readonly<Record<string, unknown>>;
}

export interface Ticket {
  readonly id: string;
  readonly capability_id: string;
  readonly server_id: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly sanitized_args: Readonly<Record<string, unknown>>;
  readonly status: TicketStatus;
  readonly created_at: number;
  readonly expires_at: number;
  readonly request_id?: string | null;
  readonly result?: Envelope;
}

export type GatedEnvelope<D = ToolData> = Envelope<D> & {
  readonly error: Envelope['error'] & { readonly approval_id: string };
};

/** The answer to a decision: with `approval` where it counted, an ErrorEnvelope where it did not. */
export interface Decided {
  readonly ok: boolean;
  readonly approval: Ticket;
  readonly result: GatedEnvelope | null;
  readonly error: Envelope['error'];
}

export interface Approvals {
  get(id: string): Promise<Ticket>;
  list(query?: string): Promise<Reply<{ readonly ok: boolean; readonly approvals: Ticket[]; readonly total: number }>>;
  approve(id: string, body?: object): Promise<Reply<Decided>>;
  reject(id: string, body?: object): Promise<Reply<Decided>>;
  /** Waits until the ticket is in this state. */
  reaches(id: string, status: string): Promise<Ticket>;
  /** Waits until the ticket has the result of its call. */
  finished(id: string): Promise<Ticket & { readonly result: Envelope }>;
}

export function approvalsOf(daemon: Daemon): Approvals {
  const get = async (id: string) => {
    const { status, body } = await daemon.get<{ readonly approval: Ticket }>(`/v1/approvals/${id}`);
    expect(status).toBe(200);
    return body.approval;
  };
  const decide = (id: string, decision: string, body: object) =>
    daemon.post<Decided>(`/v1/approvals/${id}/${decision}`, body);
  return {
    get,
    list: (query = '') => daemon.get(`/v1/approvals${query}`),
    approve: (id, body = { operator: 'ada' }) => decide(id, 'approve', body),
    reject: (id, body = { operator: 'ada' }) => decide(id, 'reject', body),
    reaches: (id, status) =>
      eventually(async () => {
        const ticket = await get(id);
        expect(ticket.status.status).toBe(status);
        return ticket;
      }),
    finished: (id) =>
      eventually(async () => {
        const { result, ...ticket } = await get(id);
        if (result === undefined) throw new Error(`approval ${id} has no result yet`);
        return { ...ticket, result };
      }),
  };
}

/** Calls a tool; a gated one answers with its ticket. `rest` goes beside `args`. */
export function callGated(
  daemon: Daemon,
  id: string,
  args: object = {},
  { headers = {}, ...rest }: { readonly headers?: RequestOptions['headers'] } & Readonly<Record<string, unknown>> = {},
): Promise<Reply<GatedEnvelope>> {
  return daemon.post('/v1/tools/call', { capability_id: id, args, ...rest }, headers);
}

/** Opens a ticket and gives its id. */
export async function openTicket(daemon: Daemon, id: string, args: object = {}, rest: object = {}): Promise<string> {
  const { status, body } = await callGated(daemon, id, args, { ...rest });
  expect([status, body.error?.code]).toEqual([202, 'APPROVAL_PENDING']);
  return body.error.approval_id;
}

/** The arguments of every tool call that reached a server, in order. */
export const contacts = (upstream: Scripted) => upstream.received('tools/call').map(({ params }) => params.arguments);

/** Status and error code of an answer. */
export const brief = ({ status, body }: Reply<{ readonly error?: { readonly code: string } | null }>) => [
  status,
  body.error?.code,
];
