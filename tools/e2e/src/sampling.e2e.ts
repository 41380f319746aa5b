// Messages of a model that servers, and callers in their name, ask for: tickets that people, callers or a provider answer.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, type DaemonOptions, refusalOf, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { everything, hasItsRoots } from './support/everything.js';
import { hold } from './support/hold.js';
import { answer, type Created, question, respondAsync, samplingOf, startProvider } from './support/sampling.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

async function start(config: object = {}, options: DaemonOptions = {}) {
  const upstream = scripted({ tools: [tool('sample'), tool('sample_later')] });
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, ...config }, options);
  return { upstream, ...(await connected(daemon)) };
}

async function connected<D extends Daemon>(daemon: D) {
  await daemon.connected();
  return { daemon, sampling: samplingOf(daemon), audit: auditOf(daemon) };
}

type Interim = { readonly inputRequests: object; readonly requestState: string };
const asked = { messages: question, maxTokens: 9, systemPrompt: 'be brief' };
const brief = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];

describe('a message asked for over HTTP', () => {
  it('is the answer when a person gives it in time [sampling-create-route] [sampling-create-request] [sampling-respond-route]', async () => {
    const { daemon, sampling } = await start();
    const created = hold<Created>(daemon, '/v1/sampling/create_message', {
      server_id: 's',
      messages: question,
      max_tokens: null,
    });
    const { id } = await sampling.pending();
    const responded = await sampling.respond(id, { ...answer, stop_reason: 'endTurn' });
    expect([responded.status, responded.body.ok, responded.body.request.status]).toEqual([200, true, 'completed']);
    const { status, body } = await created.reply;
    expect([status, body]).toEqual([
      200,
      { ok: true, trace_id: expect.stringMatching(/^[0-9a-f]{32}$/), data: { ...answer, stopReason: 'endTurn' } },
    ]);
  });

  it('is a ticket that waits for its answer [sampling-create-async] [sampling-get-route] [sampling-ticket-fields] [sampling-ticket-states]', async () => {
    const { sampling } = await start({ toolTimeoutMs: 200 });
    const accepted = await sampling.create({ max_tokens: 50 }, respondAsync);
    const id = String(accepted.body.data.ticket_id);
    expect([accepted.status, accepted.body.data]).toEqual([202, { ticket_id: id, status: 'pending' }]);
    expect(accepted.headers.location).toBe(`/v1/sampling/requests/${id}`);
    const late = await sampling.create(); // no answer comes within toolTimeoutMs
    expect([late.status, late.body.data.status]).toEqual([202, 'pending']);

    const ticket = await sampling.get(id);
    const { created_at, expires_at, ...rest } = ticket;
    expect(id).toMatch(new RegExp(`^samp-${created_at}-[1-9]\\d*$`));
    expect(expires_at - created_at).toBe(300);
    const fields = { id, server_id: 's', messages: question, max_tokens: 50, origin: 'http' };
    expect(rest).toEqual({ ...fields, status: 'pending' });
    await sampling.respond(id, { result: answer });
    expect(await sampling.get(id)).toEqual({ ...ticket, status: 'completed', result: answer });
  });

  it('is refused for what it cannot be [sampling-create-request]', async () => {
    const { sampling } = await start({ profiles: { none: { servers: [] } } });
    for (const body of [{ server_id: undefined }, { messages: undefined }, { messages: [1] }, { max_tokens: 'x' }]) {
      expect(brief(await sampling.create(body))).toEqual([400, 'INVALID_ARGS']);
    }
    expect(brief(await sampling.create({ server_id: 'x' }))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(brief(await sampling.create({}, { 'x-service-profile': 'none' }))).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });

  it('is listed, newest first [sampling-list-route] [sampling-list-shape]', async () => {
    const { sampling } = await start();
    const ids = [await sampling.open(), await sampling.open(), await sampling.open()];
    await sampling.respond(String(ids[0]));
    const { status, body } = await sampling.list();
    expect([status, Object.keys(body).sort()]).toEqual([200, ['ok', 'requests', 'total']]);
    expect(body.requests.map(({ id }) => id)).toEqual([...ids].reverse());
    const pending = (await sampling.list('?status=pending&server_id=s&limit=1')).body;
    expect([pending.requests.map(({ id }) => id), pending.total]).toEqual([[ids[2]], 2]);
    expect(brief((await sampling.list('?status=open')) as never)).toEqual([400, 'INVALID_ARGS']);
  });

  it('is answered once, and only where it is [sampling-respond-404] [sampling-get-404] [error-404-sampling-ticket]', async () => {
    const { daemon, sampling } = await start();
    const id = await sampling.open();
    const answers = await Promise.all(Array.from({ length: 10 }, () => sampling.respond(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(brief(await sampling.respond(id))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(brief(await sampling.respond('samp-1-1'))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(brief(await daemon.get('/v1/sampling/requests/samp-1-1'))).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });
});

describe('a message that a server asks for', () => {
  it('is answered by a ticket, and the task that asked completes [sampling-respond-route] [tasks-input]', async () => {
    const { daemon, sampling } = await start();
    const call = { capability_id: 's.sample', args: asked };
    const begun = await daemon.post<Envelope<{ task: { task_id: string } }>>('/v1/tools/call', call, respondAsync);
    const route = `/v1/tasks/${begun.body.data.task.task_id}`;
    const { id } = await sampling.pending();
    await eventually(async () =>
      expect((await daemon.get(route)).body).toMatchObject({ task: { status: 'input_required' } }),
    );
    await sampling.respond(id);
    await eventually(async () => {
      const result = { ok: true, data: { structuredContent: { replies: answer } } };
      expect((await daemon.get(route)).body).toMatchObject({ task: { status: 'completed', result } });
    });
  });

  it('of the everything server is answered by a ticket, and the caller that comes back has the result [sampling-respond-route]', async () => {
    const mcpServers = { e: everything };
    const { daemon, sampling } = await start({ mcpServers });
    await hasItsRoots(daemon, 'e');
    const call = { capability_id: 'e.trigger-sampling-request', args: { prompt: 'hello', maxTokens: 20 } };
    const first = await daemon.post<Envelope<Interim>>('/v1/tools/call', call);
    expect(first.body.data).toMatchObject({ inputRequests: { q1: { method: 'sampling/createMessage' } } });
    const ticket = await sampling.pending();
    expect(ticket).toMatchObject({
      server_id: 'e',
      origin: 'upstream',
      max_tokens: 20,
      messages: [{ role: 'user', content: { type: 'text', text: expect.stringContaining('hello') } }],
      params: { systemPrompt: 'You are a helpful test server.', temperature: 0.7 },
    });
    await sampling.respond(ticket.id);
    const resumed = { ...call, request_state: first.body.data.requestState, input_responses: {} };
    const { body } = await daemon.post<Envelope>('/v1/tools/call', resumed);
    expect(body.ok).toBe(true);
    expect(JSON.stringify(body.data)).toContain('four');
  });

  it('of the everything server is answered by its caller, whose answer is the result of the ticket [sampling-ticket-states]', async () => {
    const mcpServers = { e: everything };
    const { daemon, sampling } = await start({ mcpServers });
    await hasItsRoots(daemon, 'e');
    const call = { capability_id: 'e.trigger-sampling-request', args: { prompt: 'hello' } };
    const first = await daemon.post<Envelope<Interim>>('/v1/tools/call', call);
    const { id } = await sampling.pending();
    const request_state = first.body.data.requestState;
    const resumed = await daemon.post<Envelope>('/v1/tools/call', {
      ...call,
      request_state,
      input_responses: { q1: answer },
    });
    expect(JSON.stringify(resumed.body.data)).toContain('four');
    expect(await sampling.get(id)).toMatchObject({ status: 'completed', result: answer });
  });

  it('waits for its ticket if the caller cannot come back, and the deadline waits with it [sampling-respond-route]', async () => {
    const { daemon, upstream, sampling, audit } = await start({ toolTimeoutMs: 3000 });
    const steps = [{ id: 'a', capability_id: 's.sample', args: asked }];
    const batch = hold<{ ok: boolean; trace_id: string }>(daemon, '/v1/tools/batch_call', { steps });
    const { id, params, messages } = await sampling.pending();
    expect([params, messages]).toEqual([{ systemPrompt: 'be brief' }, question]);
    await sleep(3500); // longer than the deadline
    await sampling.respond(id);
    const { body } = await batch.reply;
    expect(body.ok).toBe(true);
    expect(upstream.received().at(-1)).toMatchObject({ id: 'question-1', result: answer });
    const { events } = (await audit.list('?event_type=sampling')).body;
    expect(events.map(({ status, server_id, details, trace_id }) => [status, server_id, details, trace_id])).toEqual(
      ['success', 'intercepted'].map((status) => [status, 's', { ticket_id: id, origin: 'upstream' }, body.trace_id]),
    );
    expect(JSON.stringify(events)).not.toContain('how many');
  });

  it('outside of calls is answered by its ticket [sampling-respond-route]', async () => {
    const { daemon, upstream, sampling } = await start();
    await daemon.call('s.sample_later', asked);
    const { id } = await sampling.pending();
    await sampling.respond(id);
    await eventually(() => expect(upstream.received().at(-1)).toMatchObject({ id: 'question-1', result: answer }));
  });

  it('is refused without an answer in time [sampling-ticket-states]', async () => {
    const { daemon, upstream, sampling, audit } = await start({ policy: { approvalTimeoutSecs: 1 } });
    await daemon.call('s.sample_later', asked);
    const { id } = await eventually(async () => {
      const [ticket] = (await sampling.list()).body.requests; // it may have expired by now
      if (ticket === undefined) throw new Error('nothing was asked');
      return ticket;
    });
    await sampling.reaches(id, 'expired');
    const message = `no operator or caller answered sampling request ${id} within 1 s`;
    await eventually(() =>
      expect(upstream.received().at(-1)).toMatchObject({ id: 'question-1', error: { code: -32001, message } }),
    );
    expect(brief(await sampling.respond(id))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    const { events } = (await audit.list('?event_type=sampling')).body;
    expect(events.map(({ status }) => status)).toEqual(['failed', 'intercepted']);
  });
});

describe.each(['SIGKILL', 'SIGTERM'] as const)('after %s', (signal) => {
  it('what was asked for over HTTP waits on, and what servers asked for has expired [sampling-ticket-states] [sampling-get-route]', async () => {
    const upstream = scripted({ tools: [tool('sample_later')] });
    const stateDir = tempFolder();
    const config = { mcpServers: { s: upstream.server } };
    const first = await connected(await startDaemonProcess(config, { stateDir }));
    const settled = await first.sampling.open();
    await first.sampling.respond(settled);
    await first.daemon.call('s.sample_later', asked);
    const { id: fromUpstream } = await first.sampling.pending();
    const open = await first.sampling.open();
    const before = [await first.sampling.get(settled), await first.sampling.get(open)];
    await first.daemon.stop(signal);

    const second = await start(config, { stateDir });
    expect([await second.sampling.get(settled), await second.sampling.get(open)]).toEqual(before);
    expect((await second.sampling.get(fromUpstream)).status).toBe('expired');
    expect(brief(await second.sampling.respond(fromUpstream))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await second.sampling.respond(open)).body.request).toMatchObject({ status: 'completed', result: answer });
    expect([settled, fromUpstream, open]).not.toContain(await second.sampling.open());
  });
});

describe('a sampling provider', () => {
  it('answers an open request, with its key [sampling-create-route]', async () => {
    const { url, requests } = await startProvider();
    const provider = { url, model: 'small', apiKeyEnv: 'LLM_KEY', maxTokens: 30 };
    const { daemon, sampling } = await start({ sampling: { provider } }, { env: { LLM_KEY: 'sk-1' } });
    const result = { role: 'assistant', content: { type: 'text', text: 'forty-two' }, model: 'small-1' };
    const { status, body } = await sampling.create();
    expect([status, body.data]).toEqual([200, { ...result, stopReason: 'endTurn' }]);
    const steps = [{ id: 'a', capability_id: 's.sample', args: asked }];
    const batch = await daemon.post<{ ok: boolean; results: readonly object[] }>('/v1/tools/batch_call', { steps });
    expect(batch.body.results).toMatchObject([{ ok: true, data: { structuredContent: { replies: result } } }]);
    const messages = [{ role: 'user', content: 'how many?' }];
    expect(requests.map((each) => [each.authorization, each.body])).toEqual([
      ['Bearer sk-1', { model: 'small', messages, max_tokens: 30 }],
      [
        'Bearer sk-1',
        { model: 'small', messages: [{ role: 'system', content: 'be brief' }, ...messages], max_tokens: 9 },
      ],
    ]);
  });

  it('answers what the call of an HTTP caller asks, as a call and as a task', async () => {
    const { url } = await startProvider();
    const { daemon } = await start({ sampling: { provider: { url, model: 'small' } } });
    const call = { capability_id: 's.sample', args: asked };
    const replies = { content: { text: 'forty-two' }, model: 'small-1' };
    const { body } = await daemon.post<Envelope>('/v1/tools/call', call);
    expect(body).toMatchObject({ ok: true, data: { structuredContent: { replies } } });
    const begun = await daemon.post<Envelope<{ task: { task_id: string } }>>('/v1/tools/call', call, respondAsync);
    await eventually(async () => {
      const { body } = await daemon.get(`/v1/tasks/${begun.body.data.task.task_id}`);
      expect(body).toMatchObject({
        task: { status: 'completed', result: { data: { structuredContent: { replies } } } },
      });
    });
  });

  it('that fails is logged, and leaves the ticket to people [sampling-respond-route]', async () => {
    const { url } = await startProvider(401);
    const { daemon, sampling } = await start({ sampling: { provider: { url, model: 'small' } } });
    const id = await sampling.open();
    const line = { ticket_id: id, server: 's' };
    await eventually(() => expect(daemon.log()).toContainEqual(expect.objectContaining(line)));
    expect(daemon.logText()).not.toContain('how many');
    expect((await sampling.respond(id)).body.request.result).toEqual(answer);
  });

  it('needs its key to be there', async () => {
    const provider = { url: 'http://127.0.0.1:1', model: 'm', apiKeyEnv: 'NOT_SET_ANYWHERE' };
    const { code, stderr } = await refusalOf({ mcpServers: {}, sampling: { provider } });
    expect(code).toBe(2);
    expect(stderr).toContain('sampling.provider.apiKeyEnv: environment variable NOT_SET_ANYWHERE is not set');
  });
});
