// One caller, or one server, that takes all the room it can get: others have theirs. Each attack is made with real servers
// and requests, and what another principal does at the same time is looked at by what its server has received.
import { describe, expect, it } from 'vitest';
import { approvalsOf } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import type { Reply } from './support/client.js';
import { type Daemon, type DaemonOptions, startDaemon } from './support/daemon.js';
import { openUpdates } from './support/event-stream.js';
import { callOf, hello, initialized, modernRequest } from './support/mcp.js';
import { asking, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const rbac = {
  roles: { agent: { requireApproval: ['*.gated'] }, boss: { admin: true } },
  tokens: ['mallory', 'ann', 'bob', 'boss'].map((actorId) => ({
    role: actorId === 'boss' ? 'boss' : 'agent',
    actorId,
    token: `${actorId}-token`,
  })),
};
const as = (actor: string) => ({ authorization: `Bearer ${actor}-token` });

async function start(
  servers: Readonly<Record<string, Pick<Scripted, 'server'>>>,
  more: object = {},
  options: DaemonOptions = {},
) {
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([id, { server }]) => [id, server]));
  const daemon = await startDaemon({ mcpServers, rbac, toolTimeoutMs: 120_000, ...more }, options);
  await eventually(async () => {
    const { body } = await daemon.get<{ servers: { status: string }[] }>('/v1/servers', as('boss'));
    expect(body.servers.map(({ status }) => status)).toEqual(Object.keys(servers).map(() => 'connected'));
  });
  return daemon;
}

const callAs = (daemon: Daemon, actor: string, id: string, args: object = {}, headers: Record<string, string> = {}) =>
  daemon.post<Envelope>('/v1/tools/call', { capability_id: id, args }, { ...as(actor), ...headers });

const brief = ({ status, body }: Reply<Envelope>) => [status, body.error?.code, body.error?.message];

/** Makes this many requests, some at a time, and returns how often each status came. */
async function flood(count: number, request: (index: number) => Promise<{ readonly status: number }>) {
  const seen: Record<number, number> = {};
  let next = 0;
  const work = async () => {
    while (next < count) {
      next += 1;
      const { status } = await request(next);
      seen[status] = (seen[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  return seen;
}

const queueOf = async (daemon: Daemon) => {
  const { body } = await daemon.get<{ servers: { queued: number; running: number }[] }>('/v1/servers', as('boss'));
  const [{ queued, running } = { queued: -1, running: -1 }] = body.servers;
  return { queued, running };
};

describe('a principal that fills the approvals', () => {
  it('has a thousand of them, and then neither the calls of others nor its own to other servers are refused', async () => {
    const [s, t] = [scripted({ tools: [tool('gated')] }), scripted({ tools: [tool('gated')] })];
    const daemon = await start({ s, t });
    expect(await flood(1000, () => callAs(daemon, 'mallory', 's.gated'))).toEqual({ 202: 1000 });
    expect(brief(await callAs(daemon, 'mallory', 's.gated'))).toEqual([
      403,
      'POLICY_DENIED',
      'principal "mallory" has all of its share of calls that wait for approval at server "s": 1000 (limits.approvals: 1000); repeat this one when some of them are decided',
    ]);
    expect((await callAs(daemon, 'mallory', 't.gated')).status).toBe(202);
    const asked = await callAs(daemon, 'ann', 's.gated', { whose: 'ann' });
    expect(asked.status).toBe(202);
    expect([s.received('tools/call'), t.received('tools/call')]).toEqual([[], []]);
    const { approval_id } = asked.body.error as unknown as { approval_id: string }; // as 202 has it
    const approved = await daemon.post(`/v1/approvals/${approval_id}/approve`, { operator: 'boss' }, as('boss'));
    expect([approved.status, approved.text]).toEqual([200, expect.any(String)]);
    await eventually(() =>
      expect(s.received('tools/call').map(({ params }) => params.arguments)).toEqual([{ whose: 'ann' }]),
    );
  });

  it('by their length is refused at its own characters', async () => {
    const s = scripted({ tools: [tool('gated')] });
    const daemon = await start({ s }, { limits: { waitingCharacters: 10_000 } });
    const text = 'x'.repeat(3000);
    const statuses = await flood(6, () => callAs(daemon, 'mallory', 's.gated', { text }));
    expect(statuses).toEqual({ 202: 3, 403: 3 });
    expect(brief(await callAs(daemon, 'mallory', 's.gated', { text }))[2]).toContain(
      'characters in calls that wait for approval at server "s": 9033 (limits.waitingCharacters: 10000)',
    );
    expect((await callAs(daemon, 'ann', 's.gated', { text })).status).toBe(202);
  });
});

describe('a principal that fills the places of a server', () => {
  const holdAll = (daemon: Daemon, count: number, by = '') =>
    Array.from({ length: count }, () => callAs(daemon, 'mallory', 's.held', { by }));

  it('leaves an eighth of them: the call of another is sent at once, though all that it has sent go on', async () => {
    const s = scripted({ tools: [tool('held'), tool('echo')] });
    const daemon = await start({ s });
    const calls = holdAll(daemon, 256);
    await eventually(async () => expect(await queueOf(daemon)).toEqual({ queued: 200, running: 56 }));
    for (const actor of ['ann', 'bob']) expect((await callAs(daemon, actor, 's.echo')).status).toBe(200);
    expect(await queueOf(daemon)).toEqual({ queued: 200, running: 56 });
    const names = s.received('tools/call').map(({ params }) => params.name);
    expect([names.length, names.slice(56)]).toEqual([58, ['echo', 'echo']]);
    s.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
    expect(Math.max(...s.received('tools/call').map(({ inFlight }) => inFlight))).toBe(57);
  });

  it('has all of them where all callers are one principal', async () => {
    const s = scripted({ tools: [tool('held')] });
    const daemon = await startDaemon({ mcpServers: { s: s.server }, toolTimeoutMs: 120_000 });
    await daemon.connected();
    const calls = Array.from({ length: 70 }, () => daemon.call('s.held'));
    await eventually(async () => expect(await daemon.server('s')).toMatchObject({ queued: 6, running: 64 }));
    s.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  });

  it('delays a call of a fourth, where three of them have filled all, by one of their own', async () => {
    const s = scripted({ tools: [tool('held'), tool('echo')] });
    const daemon = await start({ s });
    const held = (actor: string, count: number, by: string) =>
      Array.from({ length: count }, () => callAs(daemon, actor, 's.held', { by }));
    const calls = [...holdAll(daemon, 55, 'last'), ...holdAll(daemon, 1, 'first')];
    await eventually(async () => expect(await queueOf(daemon)).toEqual({ queued: 0, running: 56 }));
    calls.push(...held('ann', 7, 'last'), ...held('bob', 1, 'last'));
    await eventually(async () => expect(await queueOf(daemon)).toEqual({ queued: 0, running: 64 }));
    calls.push(...holdAll(daemon, 192, 'last'));
    await eventually(async () => expect(await queueOf(daemon)).toEqual({ queued: 192, running: 64 }));
    const boss = callAs(daemon, 'boss', 's.echo');
    await eventually(async () => expect(await queueOf(daemon)).toEqual({ queued: 193, running: 64 }));
    s.release('first');
    expect((await boss).status).toBe(200);
    expect(
      s
        .received('tools/call')
        .map(({ params }) => params.name)
        .indexOf('echo'),
    ).toBe(64);
    s.release('last');
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
  });

  it('is refused at its share of the places to wait at, and nothing of that is sent', async () => {
    const s = scripted({ tools: [tool('held'), tool('echo')] });
    const daemon = await start({ s }, { limits: { queuedCalls: 10 } });
    const calls = holdAll(daemon, 66);
    await eventually(async () => expect(await queueOf(daemon)).toEqual({ queued: 10, running: 56 }));
    const refused = await callAs(daemon, 'mallory', 's.echo');
    expect(brief(refused)).toEqual([
      403,
      'POLICY_DENIED',
      'you have all of your share of calls that wait for a place at server "s": 10 (limits.queuedCalls: 10); repeat this one when some of them have ended',
    ]);
    expect([refused.body.retry.upstream_execution_state, refused.body.error.retryable]).toEqual(['not_started', true]);
    s.release();
    await Promise.all(calls);
    expect(s.received('tools/call').filter(({ params }) => params.name === 'echo')).toEqual([]);
  });
});

describe('a principal that opens MCP sessions', () => {
  it('loses its own oldest beyond a thousand; the session of another goes on', async () => {
    const s = scripted({ tools: [tool('echo')] });
    const daemon = await start({ s }, { mcpHttpServer: { port: 0 }, mcpExposure: 'both' });
    const post = (body: object, headers: Readonly<Record<string, string>>) =>
      fetch(daemon.mcpUrl(), {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(body),
      });
    const open = async (actor: string) => {
      const answer = await post(hello(0), as(actor));
      await answer.text();
      const headers = {
        ...as(actor),
        'mcp-session-id': answer.headers.get('mcp-session-id') ?? '',
        'mcp-protocol-version': '2025-11-25',
      };
      return { status: answer.status, headers };
    };
    const call = async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
      const answer = await post(callOf(1, 's__echo'), headers);
      await answer.text();
      return answer.status;
    };
    const ann = await open('ann');
    await post(initialized, ann.headers);
    const first = await open('mallory');
    expect(await flood(1100, () => open('mallory'))).toEqual({ 200: 1100 });
    expect([await call(first), await call(ann), (await open('bob')).status]).toEqual([404, 200, 200]);
    expect(s.received('tools/call')).toHaveLength(1);
  });
});

describe('a server that floods with questions for a model', () => {
  it('has its share of tickets and is refused more; another server and a caller still get theirs', async () => {
    const tools = [tool('sample_later'), tool('sample')];
    const [evil, good] = [scripted({ tools }), scripted({ tools })];
    const daemon = await start({ evil, good }, { limits: { samplingTickets: 300 } });
    const total = async (server: string) =>
      (await daemon.get<{ total: number }>(`/v1/sampling/requests?status=pending&server_id=${server}`, as('boss'))).body
        .total;
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 };
    expect(await flood(310, () => callAs(daemon, 'ann', 'evil.sample_later', params))).toEqual({ 200: 310 });
    await eventually(async () => expect(await total('evil')).toBe(300));
    await eventually(() => {
      const refusals = evil.received().filter((message) => message.method === undefined && 'error' in message);
      expect(refusals).toHaveLength(10);
      expect(refusals[0]).toMatchObject({
        error: {
          message:
            'server "evil" has all of its share of pending sampling tickets: 300 (limits.samplingTickets: 300); answer some of them first',
        },
      });
    });
    await callAs(daemon, 'ann', 'good.sample_later', params);
    await eventually(async () => expect(await total('good')).toBe(1));
    const created = await daemon.post(
      '/v1/sampling/create_message',
      { server_id: 'good', ...params },
      { ...as('bob'), prefer: 'respond-async' },
    );
    expect([created.status, await total('good')]).toEqual([202, 2]);
  });
});

it('a question that a server asked for itself, while the call of another ran, outlives that call and is answered', async () => {
  const s = scripted({ tools: [tool('sample_later'), tool('held')] });
  const daemon = await start({ s });
  const params = { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 };
  await callAs(daemon, 'ann', 's.sample_later', params);
  const held = callAs(daemon, 'bob', 's.held');
  const pending = async () => {
    const path = '/v1/sampling/requests?status=pending';
    const { body } = await daemon.get<{ requests: readonly { id: string }[] }>(path, as('boss'));
    return body.requests.map(({ id }) => id);
  };
  await eventually(async () => expect(await pending()).toHaveLength(1));
  s.release();
  expect((await held).status).toBe(200);
  const result = { role: 'assistant', content: { type: 'text', text: 'said' }, model: 'm' };
  await eventually(async () => {
    const [id] = await pending(); // its first ticket, which was bob's, may be there for a moment yet
    const { status } = await daemon.post(`/v1/sampling/requests/${id}/respond`, result, as('boss'));
    expect(status).toBe(200);
  });
  await eventually(() => expect(s.received().filter((message) => 'result' in message)).toMatchObject([{ result }]));
});

describe('a principal whose calls wait for answers', () => {
  it('is refused beyond its share over all servers, and the call of another is asked', async () => {
    const servers = Object.fromEntries(['s', 't', 'u', 'v'].map((id) => [id, asking('legacy')]));
    const daemon = await start(servers, { limits: { parkedCalls: 2 } });
    const isAsked = async (actor: string, server: string) => {
      const { status, body } = await callAs(daemon, actor, `${server}.ask`);
      return [status, (body.data as { resultType?: string } | null)?.resultType ?? body.error.message];
    };
    for (const server of ['s', 't', 'u']) expect(await isAsked('mallory', server)).toEqual([200, 'input_required']);
    expect(await isAsked('mallory', 'v')).toEqual([
      500,
      'principal "mallory" has all of its share of calls that wait for answers: 3 (limits.parkedCalls: 2); answer or cancel some',
    ]);
    expect(await isAsked('ann', 'v')).toEqual([200, 'input_required']);
  });
});

describe('a principal that begins tasks', () => {
  it('has a thousand at a server, and is refused more; another begins its own', async () => {
    const s = scripted({ tools: [tool('never')] });
    const daemon = await start({ s });
    const begin = (actor: string) => callAs(daemon, actor, 's.never', {}, { prefer: 'respond-async' });
    expect(await flood(1000, () => begin('mallory'))).toEqual({ 202: 1000 });
    expect(brief(await begin('mallory'))).toEqual([
      500,
      'INTERNAL_ERROR',
      'principal "mallory" has all of its share of tasks that run at server "s": 1000 (limits.tasks: 1000); cancel some, or wait',
    ]);
    expect((await begin('ann')).status).toBe(202);
    const { body } = await daemon.get<{ tasks: { task_id: string }[] }>('/v1/tasks?limit=1', as('mallory'));
    await daemon.post(`/v1/tasks/${body.tasks[0]?.task_id}/cancel`, {}, as('mallory'));
    expect((await begin('mallory')).status).toBe(202);
  });
});

describe('a principal that has all of its share of tasks', () => {
  it('has the next one refused before it is sent, and begins one again when another has ended', async () => {
    const s = scripted({ tools: [tool('held')] });
    const daemon = await start({ s }, { limits: { tasks: 2 } });
    const begin = (by: string) => callAs(daemon, 'mallory', 's.held', { by }, { prefer: 'respond-async' });
    expect([await begin('a'), await begin('b')].map(({ status }) => status)).toEqual([202, 202]);
    const { body } = await begin('c');
    expect(body).toMatchObject({ ok: false, retry: { upstream_execution_state: 'not_started' } });
    expect(body.error.message).toContain('(limits.tasks: 2)');
    const calls = () => s.received('tools/call').map(({ params }) => params.arguments);
    await eventually(async () => expect(calls()).toEqual([{ by: 'a' }, { by: 'b' }]));
    s.release('a');
    await eventually(async () => expect((await begin('d')).status).toBe(202));
    expect(calls()).not.toContainEqual({ by: 'c' });
  });
});

describe('a principal whose stored answers fill the disk', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key });
  const text = 'x'.repeat(5000);

  it('is refused new keys before anything is sent; its stored keys, its calls without and the calls of others go on', async () => {
    const s = scripted({ tools: [tool('echo')] });
    const daemon = await start({ s }, { limits: { keptCharacters: 20_000 } });
    const call = (actor: string, key: string) => callAs(daemon, actor, 's.echo', { text, key }, keyed(key));
    const keys = ['k1', 'k2', 'k3'];
    for (const key of keys) expect((await call('mallory', key)).status).toBe(200);
    const sent = s.received('tools/call').length;
    const refused = await call('mallory', 'k5');
    expect(brief(refused)).toEqual([
      403,
      'POLICY_DENIED',
      expect.stringMatching(
        /^nothing was sent: you have all of your share of characters in stored answers and tasks: \d{5} \(limits\.keptCharacters: 20000\);/,
      ),
    ]);
    expect(refused.body.retry.upstream_execution_state).toBe('not_started');
    const task = await callAs(daemon, 'mallory', 's.echo', {}, { prefer: 'respond-async' });
    expect(brief(task).slice(0, 2)).toEqual([403, 'POLICY_DENIED']);
    expect(s.received('tools/call')).toHaveLength(sent);
    for (const key of keys) expect((await call('mallory', key)).status).toBe(200); // stored
    expect(s.received('tools/call')).toHaveLength(sent);
    expect((await callAs(daemon, 'mallory', 's.echo', { text })).status).toBe(200);
    expect((await call('ann', 'k1')).status).toBe(200);
    expect(s.received('tools/call')).toHaveLength(sent + 2);
  });

  it('is refused after a restart as well, and is given what is stored', async () => {
    const s = scripted({ tools: [tool('echo')] });
    const stateDir = tempFolder();
    const limits = { keptCharacters: 8000 };
    const first = await start({ s }, { limits }, { stateDir });
    expect((await callAs(first, 'mallory', 's.echo', { text }, keyed('k1'))).status).toBe(200);
    expect((await callAs(first, 'mallory', 's.echo', { text: text + text }, keyed('k2'))).status).toBe(200);
    await first.stop();
    const again = await start({ s }, { limits }, { stateDir });
    const sent = s.received('tools/call').length;
    expect((await callAs(again, 'mallory', 's.echo', {}, keyed('k3'))).status).toBe(403);
    expect(s.received('tools/call')).toHaveLength(sent);
    expect((await callAs(again, 'mallory', 's.echo', { text }, keyed('k1'))).status).toBe(200);
    expect(s.received('tools/call')).toHaveLength(sent);
  });
});

describe('a principal that opens streams of changes', () => {
  it('is refused beyond its share over HTTP and MCP together; another still gets updates', async () => {
    const tools = [tool('echo'), tool('announce')];
    const s = scripted({ tools });
    const daemon = await start({ s }, { mcpHttpServer: { port: 0 }, limits: { streams: 40 } });
    const streams = await Promise.all(Array.from({ length: 40 }, () => openUpdates(daemon, as('mallory'))));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await daemon.get<Envelope>('/v1/resources/updates', as('mallory'));
    expect(brief(refused)).toEqual([
      403,
      'POLICY_DENIED',
      'principal "mallory" has all of its share of streams of changes: 40 (limits.streams: 40); close some of them first',
    ]);
    const listen = async (actor: string) => {
      const { body, headers } = modernRequest(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
      const control = new AbortController();
      const answer = await fetch(daemon.mcpUrl(), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
          ...as(actor),
        },
        body: JSON.stringify(body),
        signal: control.signal,
      });
      control.abort();
      return answer.status;
    };
    expect([await listen('mallory'), await listen('ann')]).toEqual([503, 200]);
    const ann = await openUpdates(daemon, as('ann'));
    for (const stream of streams.slice(0, 5)) stream.close();
    await eventually(async () => expect(await listen('mallory')).toBe(200));
    s.define({ tools: [...tools, tool('new')] });
    expect((await callAs(daemon, 'bob', 's.announce', { kind: 'tools' })).status).toBe(200);
    await eventually(() => expect(ann.events('catalog_changed')).toHaveLength(1));
  });
});

it('a principal alone has the full documented limits without roles, under any name that it gives', async () => {
  const s = scripted({ tools: [tool('gated')] });
  const daemon = await startDaemon({
    mcpServers: { s: s.server },
    policy: { requireApproval: ['s.gated'] },
    limits: { approvals: 20 },
  });
  await daemon.connected();
  const gated = (index: number) =>
    daemon.post<Envelope>(
      '/v1/tools/call',
      { capability_id: 's.gated', args: {}, context: { actor_id: `actor-${index}` } },
      { 'x-actor-id': `actor-${index}`, 'user-agent': `agent/${index}` },
    );
  expect(await flood(25, gated)).toEqual({ 202: 20, 403: 5 });
  expect((await approvalsOf(daemon).list('?status=pending')).body.approvals).toHaveLength(20);
});
