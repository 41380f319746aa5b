// Tickets: what opens one, how it is shown, what a decision does, and that what was approved runs once.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Approvals, approvalsOf, brief, callGated, contacts, openTicket } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

const strict = {
  inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } }, additionalProperties: false },
};

const definitions = {
  tools: [tool('echo'), tool('strict', strict), tool('fail'), tool('slow'), tool('tool_error'), tool('free')],
  resources: [{ uri: 'book://one', name: 'one' }],
  prompts: [{ name: 'greet' }],
};

const requireApproval = ['s.echo', 's.strict', 's.fail', 's.slow', 's.tool_error', 's.book://*', 's.greet'];

async function start(config: object = {}) {
  const upstream = scripted(definitions);
  const daemon = await startDaemon({
    mcpServers: { s: upstream.server },
    capabilityAliases: { say: 's.free' },
    policy: { requireApproval },
    ...config,
  });
  await daemon.connected();
  return { upstream, daemon, approvals: approvalsOf(daemon) };
}

let daemon: Daemon;
let upstream: Scripted;
let approvals: Approvals;

beforeAll(async () => {
  ({ daemon, upstream, approvals } = await start());
});

/** Calls that reached the server since. */
const contactsFrom = (count: number) => contacts(upstream).slice(count);

describe('a gated call', () => {
  it('answers 202 with its ticket and contacts nothing [call-gated-202] [error-approval-pending] [approval-gate-no-contact] [error-retryable-false-approvals] [error-approval-lookup]', async () => {
    const before = upstream.received().length;
    const { status, headers, body } = await callGated(
      daemon,
      's.echo',
      { n: 1 },
      { request_id: 'gated-1', context: { actor_id: 'agent' } },
    );
    const id = body.error.approval_id;
    expect([status, headers.location]).toEqual([202, `/v1/approvals/${id}`]);
    expect(body).toEqual({
      ok: false,
      request_id: 'gated-1',
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      context: { actor_id: 'agent' },
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
      data: null,
      error: {
        code: 'APPROVAL_PENDING',
        message: expect.stringContaining(id),
        hint: `a person decides at ${daemon.url}/ui/approvals?id=${id}`,
        retryable: false,
        approval_id: id,
      },
    });
    expect((await daemon.get<{ approval: { id: string } }>(headers.location ?? '')).body.approval.id).toBe(id);
    expect(upstream.received()).toHaveLength(before);
  });

  it.each([
    ['a read', '/v1/resources/read', { resource_id: 's.book://one' }, 's.book://one', 'resources/read'],
    ['a prompt', '/v1/prompts/get', { prompt_id: 's.greet', arguments: { who: 'Ada' } }, 's.greet', 'prompts/get'],
  ])(
    'that is %s answers 403 with its ticket, and runs once approved [error-approval-pending] [approval-gate-no-contact] [approval-approve-route]',
    async (_, path, body, id, method) => {
      const before = upstream.received(method).length;
      const gated = await daemon.post<Envelope & { error: { approval_id: string } }>(path, body);
      const ticketId = gated.body.error.approval_id;
      expect([...brief(gated), gated.headers.location]).toEqual([403, 'APPROVAL_PENDING', `/v1/approvals/${ticketId}`]);
      expect(upstream.received(method)).toHaveLength(before);
      expect(await approvals.get(ticketId)).toMatchObject({ capability_id: id, server_id: 's' });
      const { status, body: approved } = await approvals.approve(ticketId);
      expect([status, approved.result?.ok]).toEqual([200, true]);
      expect(upstream.received(method)).toHaveLength(before + 1);
    },
  );

  it('with wrong arguments is refused before it asks a person [call-gated-202]', async () => {
    const before = (await approvals.list()).body.total;
    expect(brief(await callGated(daemon, 's.strict', { n: 'x' }))).toEqual([400, 'INVALID_ARGS']);
    expect((await approvals.list()).body.total).toBe(before);
  });

  it('in a batch is a failed step with a ticket, and ends it [approval-gate-no-contact] [error-approval-pending]', async () => {
    const before = contacts(upstream).length;
    const steps = [
      { id: 'a', capability_id: 's.free', args: { first: 1 } },
      { id: 'b', capability_id: 's.echo', args: {} },
      { id: 'c', capability_id: 's.free', args: {} },
    ];
    const { status, body } = await daemon.post<{ ok: boolean; results: { ok: boolean; error?: string }[] }>(
      '/v1/tools/batch_call',
      { steps },
    );
    expect([status, body.ok, body.results.map(({ ok }) => ok)]).toEqual([200, false, [true, false]]);
    expect(body.results[1]?.error).toMatch(/^APPROVAL_PENDING: .*appr-\d+-\d+/);
    expect(contactsFrom(before)).toEqual([{ first: 1 }]);
  });
});

describe('tickets', () => {
  it('are shown with these fields and no others that matter [approval-get] [approval-ticket-fields] [approval-ticket-id] [approval-status-fields] [overview-approval-timestamps] [approval-default-timeout]', async () => {
    const earliest = Math.floor(Date.now() / 1000);
    const id = await openTicket(daemon, 's.echo', { n: 1, password: 'p' }, { request_id: 'shape' });
    const latest = Math.floor(Date.now() / 1000);
    const { status, body } = await daemon.get<{ approval: { created_at: number } }>(`/v1/approvals/${id}`);
    const { created_at } = body.approval;
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        approval: {
          id,
          kind: 'tool',
          capability_id: 's.echo',
          server_id: 's',
          args: { n: 1, password: 'p' },
          sanitized_args: { n: 1 },
          status: { status: 'pending' },
          created_at,
          expires_at: created_at + 300,
          request_id: 'shape',
          channel: 'http',
          rule: expect.stringMatching(/^require_approval:/),
          view: {
            arguments: {
              entries: [
                { depth: 0, key: 'n', value: '1', redacted: false },
                { depth: 0, key: 'password', value: '[REDACTED]', redacted: true },
              ],
              omitted: 0,
              complete: true,
            },
            definition_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
            description: null,
            reasked: false,
            changes: [],
            changes_complete: true,
          },
        },
      },
    ]);
    expect(Number.isInteger(created_at) && created_at >= earliest && created_at <= latest).toBe(true);
    expect(id).toMatch(new RegExp(`^appr-${created_at}-[1-9]\\d*$`));
    const other = await openTicket(daemon, 's.echo');
    expect(other).not.toBe(id);
    expect((await approvals.get(other)).request_id ?? null).toBeNull();
  });

  it('are listed, all or of one status, each as it is shown alone [approval-list] [approval-ticket-fields]', async () => {
    const own = await start();
    expect((await own.approvals.list()).body).toEqual({ ok: true, approvals: [], total: 0 });
    const [pending, approved, rejected] = [
      await openTicket(own.daemon, 's.echo', { a: 1 }),
      await openTicket(own.daemon, 's.echo', { a: 2 }),
      await openTicket(own.daemon, 's.echo', { a: 3 }),
    ];
    await own.approvals.approve(approved);
    await own.approvals.reject(rejected);
    const shown = await Promise.all([rejected, approved, pending].map(own.approvals.get));
    const tickets = shown.map(({ result: _, ...ticket }) => ticket); // a list stays compact
    const all = await own.approvals.list();
    expect([all.status, all.body]).toEqual([200, { ok: true, approvals: tickets, total: 3 }]);
    for (const [index, status] of ['rejected', 'approved', 'pending', 'expired'].entries()) {
      const { body } = await own.approvals.list(`?status=${status}`);
      const expected = tickets.slice(index, index + 1);
      expect(body).toEqual({ ok: true, approvals: expected, total: expected.length });
    }
    expect((await own.approvals.list('?limit=1&offset=1')).body).toEqual({
      ok: true,
      approvals: [tickets[1]],
      total: 3,
    });
  });

  it.each(['?status=open', '?status=', '?status=PENDING', '?status=pending,approved'])(
    'are not listed for a status that there is not: %s [approval-list]',
    async (query) => {
      expect(brief((await approvals.list(query)) as never)).toEqual([400, 'INVALID_ARGS']);
    },
  );

  it.each(['appr-0-0', 'appr-1-1', 'nonsense', '%00'])(
    'that are unknown answer 404: %s [approval-get-404] [error-404-approval]',
    async (id) => {
      const answers = [
        await daemon.get<Envelope>(`/v1/approvals/${id}`),
        await approvals.approve(id),
        await approvals.reject(id),
      ];
      for (const answer of answers) expect(brief(answer)).toEqual([404, 'RESOURCE_NOT_FOUND']);
    },
  );
});
