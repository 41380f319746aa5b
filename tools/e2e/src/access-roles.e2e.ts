// Rights of the holders of a role: less than everyone’s, never more, and nothing of each other.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const files = {
  tools: [tool('read', { annotations: { readOnlyHint: true } }), tool('write'), tool('wipe')],
  resources: [
    { uri: 'file:///open', name: 'open' },
    { uri: 'file:///secret', name: 'secret' },
  ],
  prompts: [{ name: 'greet' }, { name: 'plan' }],
};

const rbac = {
  defaultRole: 'guest',
  roles: {
    guest: { allow: ['files.read'] },
    reader: { allow: ['files.read', 'files.file:///open', 'files.greet'], redactKeys: ['ssn'] },
    writer: { deny: ['files.wipe', 'other.*'], requireApproval: ['files.write'] },
    bound: { profile: 'dev' },
    boss: { admin: true },
  },
  tokens: [
    { role: 'reader', actorId: 'ann', token: 'ann-token' },
    { role: 'reader', actorId: 'bob', tokenEnv: 'BOB_TOKEN' },
    { role: 'writer', actorId: 'wil', tokenSha256: createHash('sha256').update('wil-token').digest('hex') },
    { role: 'bound', token: 'bound-token' },
    { role: 'boss', actorId: 'eve', token: 'boss-token' },
  ],
};

const as = (who: string) => ({ authorization: `Bearer ${who}-token` });

let upstream: Scripted;
let daemon: Daemon;

const idsOf = async (name: 'capabilities' | 'resources' | 'prompts', headers: Readonly<Record<string, string>>) =>
  (await daemon.list(name, headers)).body[name].map(({ id }) => id);
const call = (id: string, headers: Readonly<Record<string, string>>, rest: object = {}) =>
  daemon.post<Envelope>('/v1/tools/call', { capability_id: id, args: {}, ...rest }, headers);

beforeAll(async () => {
  upstream = scripted(files);
  const other = scripted({ tools: [tool('ping')] });
  daemon = await startDaemon(
    {
      mcpServers: { files: upstream.server, other: other.server },
      capabilityAliases: { look: 'files.read', erase: 'files.wipe' },
      policy: { deny: ['files.plan'] },
      profiles: { dev: { servers: ['other'] }, ops: { servers: ['files'] } },
      rbac,
    },
    { env: { BOB_TOKEN: 'bob-token' } },
  );
  await eventually(async () => {
    const all = await idsOf('capabilities', as('boss'));
    expect(all).toEqual(['erase', 'files.write', 'look', 'other.ping']);
  });
});

describe('a view', () => {
  it('holds what the role allows, everywhere [access-role-policy] [access-rbac-config]', async () => {
    expect(await idsOf('capabilities', as('ann'))).toEqual(['look']);
    expect(await idsOf('capabilities', {})).toEqual(['look']);
    expect(await idsOf('capabilities', as('wil'))).toEqual(['files.write', 'look']);
    expect(await idsOf('resources', as('ann'))).toEqual(['files.file:///open']);
    expect(await idsOf('prompts', as('ann'))).toEqual(['files.greet']);
    expect(await idsOf('prompts', as('boss'))).toEqual(['files.greet']);
    const found = async (who: string, body: object) =>
      (
        await daemon.post<{ readonly capabilities: readonly { readonly id: string }[] }>(
          '/v1/capabilities/search',
          body,
          as(who),
        )
      ).body.capabilities.map(({ id }) => id);
    expect(await found('ann', {})).toEqual(['look']);
    expect(await found('ann', { query: 'write wipe ping' })).toEqual([]);
    expect(await found('wil', { server_ids: ['other'] })).toEqual([]);
  });

  it('names no server of which it holds nothing', async () => {
    const servers = async (who: string) =>
      (await daemon.get<{ readonly servers: readonly { readonly id: string }[] }>('/v1/servers', as(who))).body.servers;
    expect((await servers('boss')).map(({ id }) => id).sort()).toEqual(['files', 'other']);
    expect((await servers('wil')).map(({ id }) => id)).toEqual(['files']);
    const { body } = await daemon.get<{ readonly servers: object }>('/readyz', as('wil'));
    expect(body.servers).toEqual({ files: 'connected' });
  });

  it('has an ETag of its own, and is private to its caller [catalog-etag-per-role] [catalog-cache-scope-private]', async () => {
    const etags = new Set<string | undefined>();
    for (const [who, role] of [
      ['ann', 'reader'],
      ['wil', 'writer'],
      ['boss', 'boss'],
    ] as const) {
      const { body, headers } = await daemon.list('capabilities', as(who));
      expect(headers.etag).toMatch(new RegExp(`^"${body.catalog_version}-r:${role}:[0-9a-f]+"$`));
      expect([body.cache_scope, headers['cache-control']]).toEqual(['private', 'private, no-cache']);
      etags.add(headers.etag);
      const again = await daemon.list('capabilities', { ...as(who), 'if-none-match': headers.etag ?? '' });
      expect(again.status).toBe(304);
      const stranger = await daemon.list('capabilities', { 'if-none-match': headers.etag ?? '' });
      expect(stranger.status).toBe(200);
    }
    expect(etags.size).toBe(3);
    const { body, headers } = await daemon.list('capabilities', { ...as('boss'), 'x-service-profile': 'dev' });
    expect(headers.etag).toMatch(new RegExp(`^"${body.catalog_version}-p:dev:[0-9a-f]+-r:boss:[0-9a-f]+"$`));
  });

  it('is that of the role’s profile, and of no other', async () => {
    expect(await idsOf('capabilities', as('bound'))).toEqual(['other.ping']);
    expect(await idsOf('capabilities', { ...as('bound'), 'x-service-profile': 'dev' })).toEqual(['other.ping']);
    for (const profile of ['ops', 'nope', '']) {
      const { status } = await daemon.list('capabilities', { ...as('bound'), 'x-service-profile': profile });
      expect([profile, status]).toEqual([profile, 404]);
    }
    expect((await call('files.read', as('bound'))).status).toBe(404);
    expect((await call('other.ping', as('bound'))).status).toBe(200);
  });
});

describe('what is outside a view', () => {
  it('cannot be distinguished from an unknown thing', async () => {
    const message = (id: string) => `no capability "${id}"`;
    for (const id of ['files.write', 'other.ping', 'erase', 'files.nothing']) {
      const described = await daemon.get<Envelope>(`/v1/capabilities/${id}`, as('ann'));
      const called = await call(id, as('ann'));
      expect([described.status, described.body.error.message]).toEqual([404, message(id)]);
      expect([called.status, called.body.error.code, called.body.error.message]).toEqual([
        404,
        'TOOL_NOT_FOUND',
        message(id),
      ]);
    }
    const read = await daemon.post('/v1/resources/read', { resource_id: 'files.file:///secret' }, as('ann'));
    const other = await daemon.post('/v1/resources/read', { resource_id: 'files.file:///none' }, as('ann'));
    expect([read.status, other.status]).toEqual([404, 404]);
    const reference = { ref_type: 'prompt', ref_name: 'files.plan', argument_name: 'x' };
    expect((await daemon.post('/v1/completion/complete', reference, as('ann'))).status).toBe(403);
  });

  it('is refused where a rule denies it, under every name', async () => {
    for (const id of ['files.wipe', 'erase', 'other.ping']) {
      const { status, body } = await call(id, as('wil'));
      expect([id, status, body.error.code]).toEqual([id, 403, 'POLICY_DENIED']);
    }
    expect(upstream.received('tools/call').map(({ params }) => params.name)).not.toContain('wipe');
  });
});

describe('a gated call of a role', () => {
  it('waits for an admin, and runs as its caller', async () => {
    const asked = await call('files.write', as('wil'));
    expect([asked.status, asked.body.error.code]).toEqual([202, 'APPROVAL_PENDING']);
    const id = (asked.body.error as { readonly approval_id?: string }).approval_id ?? '';
    const path = `/v1/approvals/${id}`;
    const seen = async (who: string) => (await daemon.get(path, as(who))).status;
    expect([await seen('wil'), await seen('boss'), await seen('ann')]).toEqual([200, 200, 404]);
    const total = async (who: string) =>
      (await daemon.get<{ readonly total: number }>('/v1/approvals', as(who))).body.total;
    expect([await total('wil'), await total('boss'), await total('ann')]).toEqual([1, 1, 0]);
    for (const who of ['wil', 'ann']) {
      expect((await daemon.post(`${path}/approve`, { operator: 'me' }, as(who))).status).toBe(403);
      expect((await daemon.post(`${path}/reject`, { operator: 'me' }, as(who))).status).toBe(403);
    }
    const approved = await daemon.post<{ readonly approval: { readonly status: object }; readonly result: Envelope }>(
      `${path}/approve`,
      { operator: 'somebody' },
      as('boss'),
    );
    expect([approved.status, approved.body.result.ok]).toEqual([200, true]);
    expect(approved.body.approval.status).toMatchObject({ operator: 'somebody', decided_by: 'eve' });
    const { body } = await daemon.get<{ readonly events: readonly object[] }>(
      `/v1/audit/events?capability_id=files.write`,
      as('boss'),
    );
    expect(body.events.slice(0, 3)).toMatchObject([
      { event_type: 'tool_call', status: 'success', role: 'writer', actor_id: 'wil' },
      { event_type: 'approval_approved', role: 'writer', actor_id: 'wil', details: { decided_by: 'eve' } },
      { event_type: 'approval_created', role: 'writer', actor_id: 'wil' },
    ]);
  });
});

describe('a private thing', () => {
  it('is private: keys, records and request ids', async () => {
    const args = { path: '/of-a-key' }; // what others have begun may still arrive
    const keyed = (who: string) => call('files.read', { ...as(who), 'idempotency-key': 'k' }, { args });
    const [first, second, again] = [await keyed('ann'), await keyed('bob'), await keyed('ann')];
    expect([first, second, again].map(({ headers }) => headers['x-service-deduplicated'])).toEqual([
      undefined,
      undefined,
      'true',
    ]);
    const received = upstream.received('tools/call').map(({ params }) => params.arguments);
    expect(received.filter((given) => JSON.stringify(given) === JSON.stringify(args))).toHaveLength(2);
    const record = async (who: string) => (await daemon.get('/v1/idempotency/records/k', as(who))).status;
    expect([await record('ann'), await record('bob'), await record('wil'), await record('boss')]).toEqual([
      200, 200, 404, 404,
    ]);
  });

  it('tasks and sampling requests too', async () => {
    const asked = await daemon.post<Envelope<{ readonly task: { readonly task_id: string } }>>(
      '/v1/tools/call',
      { capability_id: 'files.read', args: {} },
      { ...as('ann'), prefer: 'respond-async' },
    );
    const { task_id } = asked.body.data.task;
    const status = async (who: string) => (await daemon.get(`/v1/tasks/${task_id}`, as(who))).status;
    expect([asked.status, await status('ann'), await status('bob')]).toEqual([202, 200, 404]);

    const message = { server_id: 'files', messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] };
    const opened = await daemon.post<{ readonly data: { readonly ticket_id: string } }>(
      '/v1/sampling/create_message',
      message,
      { ...as('ann'), prefer: 'respond-async' },
    );
    const { ticket_id } = opened.body.data;
    const seen = async (who: string) => (await daemon.get(`/v1/sampling/requests/${ticket_id}`, as(who))).status;
    expect([await seen('ann'), await seen('bob'), await seen('boss')]).toEqual([200, 404, 200]);
    const hidden = await daemon.post('/v1/sampling/create_message', { ...message, server_id: 'other' }, as('ann'));
    expect(hidden.status).toBe(404);
  });
});

describe('the audit log', () => {
  it('names the proven identity of callers beside the claimed one, and hides what their role hides', async () => {
    await daemon.post(
      '/v1/tools/call',
      { capability_id: 'files.read', args: { ssn: '078-05-1120', path: 'x' }, request_id: 'audited' },
      { ...as('ann'), 'x-actor-id': 'somebody-else' },
    );
    await call('files.read', {}, { request_id: 'anonymous' });
    const { body } = await daemon.get<{ readonly events: readonly Readonly<Record<string, unknown>>[] }>(
      '/v1/audit/events?event_type=tool_call&limit=100',
      as('boss'),
    );
    const of = (id: string) => body.events.find(({ request_id }) => request_id === id);
    expect(of('audited')).toMatchObject({ role: 'reader', actor_id: 'ann', sanitized_args: { path: 'x' } });
    expect(of('audited')?.sanitized_args).toEqual({ path: 'x' });
    expect(of('anonymous')).toMatchObject({ role: 'guest', actor_id: 'anonymous' });
  });

  it('has the refused caller', async () => {
    await daemon.get('/v1/audit/stats', as('ann'));
    await daemon.get('/v1/capabilities', as('nobody'));
    const { body } = await daemon.get<{ readonly events: readonly object[] }>(
      '/v1/audit/events?event_type=auth_failure&limit=2',
      as('boss'),
    );
    expect(body.events).toMatchObject([
      { status: 'denied', details: { path: '/v1/capabilities', http_status: 401, reason: 'the token is not known' } },
      { status: 'denied', role: 'reader', actor_id: 'ann', details: { path: '/v1/audit/stats', http_status: 403 } },
    ]);
    expect(daemon.logText()).not.toContain('nobody-token');
  });
});
