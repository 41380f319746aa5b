// Decisions on tickets: approving runs the call once, rejecting ends it, and the first decision is the only one.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Approvals, approvalsOf, brief, contacts, openTicket } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const strict = {
  inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } }, additionalProperties: false },
};

let daemon: Daemon;
let upstream: Scripted;
let approvals: Approvals;

async function start(more: object = {}) {
  const own = scripted({
    tools: [tool('echo'), tool('strict', strict), tool('fail'), tool('never'), tool('tool_error')],
  });
  const started = await startDaemon({
    mcpServers: { s: own.server },
    capabilityAliases: { say: 's.echo' },
    policy: { requireApproval: ['*'] },
    ...more,
  });
  await started.connected();
  return { upstream: own, daemon: started, approvals: approvalsOf(started) };
}

beforeAll(async () => {
  ({ upstream, daemon, approvals } = await start());
});

const contactsFrom = (count: number) => contacts(upstream).slice(count);

describe('approving', () => {
  it('runs the call once, with the arguments as they were given and not as they are shown [approval-approve-route] [approval-status-fields] [approval-sanitized-args]', async () => {
    const before = contacts(upstream).length;
    const args = { n: 1, password: 'needed', nested: { token: 't' }, json: '{"secret": "s"}' };
    const id = await openTicket(daemon, 's.echo', args, { request_id: 'run', context: { actor_id: 'agent' } });
    const { status, body } = await approvals.approve(id, { operator: 'ada' });
    expect([status, Object.keys(body).sort()]).toEqual([200, ['approval', 'ok', 'result']]);
    expect(body.approval.status).toEqual({ status: 'approved', operator: 'ada', timestamp: expect.any(Number) });
    expect(Number.isInteger(body.approval.status.timestamp)).toBe(true);
    expect(body.result).toMatchObject({
      ok: true,
      request_id: 'run',
      context: { actor_id: 'agent' },
      retry: { upstream_execution_state: 'completed' },
      data: { structuredContent: { name: 'echo', arguments: args } },
      error: null,
    });
    expect(contactsFrom(before)).toEqual([args]);
    const shown = await approvals.get(id);
    expect(shown.result).toEqual(body.result);
    expect(shown).toEqual(body.approval);
  });

  it.each([
    ['an error of the upstream', 's.fail', {}, false, 'UPSTREAM_ERROR', {}],
    ['an error of the tool', 's.tool_error', {}, true, undefined, {}],
    ['a timeout', 's.never', {}, false, 'UPSTREAM_TIMEOUT', { toolTimeoutMs: 500 }],
  ])(
    'that ends in %s is an approval nevertheless, with that result [approval-approve-route]',
    async (_, name, args, ok, code, config) => {
      const own = await start(config);
      const id = await openTicket(own.daemon, name, args);
      const { status, body } = await own.approvals.approve(id);
      expect([status, body.ok, body.approval.status.status]).toEqual([200, true, 'approved']);
      const { result } = await own.approvals.finished(id);
      expect([result.ok, result.error?.code]).toEqual([ok, code]);
      await eventually(() => expect(contacts(own.upstream)).toEqual([args])); // a timeout may come before it is read
      expect(brief(await own.approvals.approve(id))).toEqual([409, 'INVALID_ARGS']);
      expect(contacts(own.upstream)).toEqual([args]);
    },
  );

  it('applies the modifiers of the call, and runs the target of an alias [approval-approve-route]', async () => {
    const before = contacts(upstream).length;
    const id = await openTicket(daemon, 'say', { n: 1, _jsonpath: '$.structuredContent.arguments.n' });
    const { body } = await approvals.approve(id);
    expect(body.result?.data).toBe(1);
    expect(contactsFrom(before)).toEqual([{ n: 1 }]);
  });

  it('with modified_args runs with those, and the ticket shows both [approval-modified-args] [approval-status-fields]', async () => {
    const before = contacts(upstream).length;
    const id = await openTicket(daemon, 's.strict', { n: 1 });
    const { status, body } = await approvals.approve(id, { operator: 'ada', modified_args: { n: 2 } });
    expect([status, body.result?.data.structuredContent]).toEqual([
      200,
      expect.objectContaining({ arguments: { n: 2 } }),
    ]);
    const { args, status: decision } = await approvals.get(id);
    expect([args, decision.modified_args]).toEqual([{ n: 1 }, { n: 2 }]);
    expect(contactsFrom(before)).toEqual([{ n: 2 }]);
  });

  it('with modified_args that the tool does not take is 400 and leaves the ticket pending [approval-modified-args] [approval-approve-request]', async () => {
    const before = contacts(upstream).length;
    const id = await openTicket(daemon, 's.strict', { n: 1 });
    for (const modified_args of [{ n: 'x' }, {}, { n: 1, more: true }, { n: 1, _jsonpath: 'not a path' }]) {
      const answer = await approvals.approve(id, { operator: 'ada', modified_args });
      expect(brief(answer)).toEqual([400, 'INVALID_ARGS']);
      expect(answer.body.error.message).toContain('modified_args');
      expect((await approvals.get(id)).status).toEqual({ status: 'pending' });
    }
    expect((await approvals.approve(id, { operator: 'ada', modified_args: null })).status).toBe(200);
    expect(contactsFrom(before)).toEqual([{ n: 1 }]);
  });
});

describe('rejecting', () => {
  it.each([
    ['with a reason', { operator: 'ada', reason: 'too risky' }, { operator: 'ada', reason: 'too risky' }],
    ['without one', { operator: 'ada' }, { operator: 'ada' }],
    ['with null for one', { operator: 'ada', reason: null }, { operator: 'ada' }],
  ])(
    '%s ends the ticket and contacts nothing [approval-reject-route] [approval-reject-request] [approval-status-fields]',
    async (_, body, expected) => {
      const before = contacts(upstream).length;
      const id = await openTicket(daemon, 's.echo');
      const { status, body: answer } = await approvals.reject(id, body);
      expect([status, Object.keys(answer).sort(), answer.ok]).toEqual([200, ['approval', 'ok'], true]);
      expect(answer.approval.status).toEqual({ status: 'rejected', ...expected, timestamp: expect.any(Number) });
      expect(await approvals.get(id)).toEqual(answer.approval);
      expect(contactsFrom(before)).toEqual([]);
    },
  );
});

describe('a decision', () => {
  it.each([
    ['approve', {}],
    ['approve', { operator: 7 }],
    ['approve', { operator: null }],
    ['approve', { operator: '' }],
    ['approve', { operator: 'ada', modified_args: 'x' }],
    ['approve', { operator: 'ada', modified_args: [] }],
    ['approve', []],
    ['approve', '{"operator":'],
    ['reject', {}],
    ['reject', { operator: ['ada'] }],
    ['reject', { operator: 'ada', reason: 7 }],
    ['reject', 'null'],
  ])(
    'that is malformed is 400 and changes nothing: %s %j [approval-approve-request] [approval-reject-request]',
    async (decision, body) => {
      const id = await openTicket(daemon, 's.echo');
      const answer = await daemon.post<{ error: { code: string } }>(`/v1/approvals/${id}/${decision}`, body);
      expect(brief(answer)).toEqual([400, 'INVALID_ARGS']);
      expect((await approvals.get(id)).status).toEqual({ status: 'pending' });
    },
  );

  it.each(['approve', 'reject'] as const)(
    'after the first is 409 and leaves the ticket as it is: %s [approval-decided-409] [error-409-approval]',
    async (first) => {
      const before = contacts(upstream).length;
      const id = await openTicket(daemon, 's.echo', { first });
      expect((await approvals[first](id)).status).toBe(200);
      const ticket = await approvals.get(id);
      const later = [
        await approvals.approve(id, { operator: 'eve' }),
        await approvals.approve(id, { operator: 'eve', modified_args: { other: 1 } }),
        await approvals.reject(id, { operator: 'eve', reason: 'late' }),
      ];
      for (const answer of later) expect(brief(answer)).toEqual([409, 'INVALID_ARGS']);
      expect(await approvals.get(id)).toEqual(ticket);
      expect(contactsFrom(before)).toHaveLength(first === 'approve' ? 1 : 0);
    },
  );

  it.each([
    ['approvals', () => true],
    ['rejections', () => false],
    ['approvals and rejections', (index: number) => index % 2 === 0],
  ])(
    'of 20 at once counts one, the rest get 409: %s [approval-decided-409] [error-409-approval]',
    async (_, approves) => {
      for (let round = 0; round < 5; round += 1) {
        const before = contacts(upstream).length;
        const id = await openTicket(daemon, 's.echo', { round });
        const answers = await Promise.all(
          Array.from({ length: 20 }, (__, index) =>
            approvals[approves(index) ? 'approve' : 'reject'](id, { operator: `operator-${index}` }),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
        const winner = answers.findIndex(({ status }) => status === 200);
        const { status } = await approvals.get(id);
        expect([status.status, status.operator]).toEqual([
          approves(winner) ? 'approved' : 'rejected',
          `operator-${winner}`,
        ]);
        if (approves(winner)) await approvals.finished(id);
        expect(contactsFrom(before)).toEqual(approves(winner) ? [{ round }] : []);
      }
    },
  );

  it('runs beside others: 20 tickets approved at once run once each [approval-approve-route]', async () => {
    const before = contacts(upstream).length;
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const ids = await Promise.all(numbers.map((n) => openTicket(daemon, 's.echo', { n })));
    expect(new Set(ids).size).toBe(20);
    const answers = await Promise.all(ids.map((id) => approvals.approve(id)));
    expect(answers.map(({ body }) => body.result?.data.structuredContent)).toEqual(
      numbers.map((n) => expect.objectContaining({ arguments: { n } })),
    );
    await eventually(() => expect(contactsFrom(before)).toHaveLength(20));
  });
});
