// The configuration over HTTP: requests, answers, and errors for bad input.
import { mask } from '@portico/contracts';
import { createControlPlane, createMemoryStores } from '@portico/control-plane';
import { createManualClock, createMemoryConnector, type MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { driveApi, memorySource, refusal } from './testing/drive-api.js';

const git: MemoryServer = { definitions: { tools: [{ name: 'push', inputSchema: { type: 'object' } }] } };
const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
const command = 'node';
const json = { 'Content-Type': 'application/json' };

async function start(file: object = {}) {
  const clock = createManualClock();
  const configSource = memorySource(['git'], file);
  let count = 0;
  const randomHex = (characters: number) => {
    count += 1;
    return count.toString(16).padStart(characters, '0');
  };
  const plane = createControlPlane(
    {
      connector: createMemoryConnector({ git, late: git }),
      clock,
      randomHex,
      configSource,
      log: () => {},
      ...createMemoryStores(clock),
      notifyApproval: () => {},
    },
    configSource.current().config,
  );
  plane.start();
  await clock.advance(0);
  const api = driveApi(plane);
  const change = (path: string, body: unknown) => api.post(`/v1/config/${path}`, body);
  const remove = (path: string) => api.send(`/v1/config/${path}`, { method: 'DELETE' });
  return { ...api, change, remove, plane, clock, source: configSource };
}

describe('GET /v1/config', () => {
  it('shows what is in force without secrets, and how the service is doing', async () => {
    const { get } = await start({ authToken: 'hidden', profiles: { dev: { servers: ['git'] } }, 'x-token': 'hidden' });
    const { status, body, text } = await get('/v1/config');
    expect([status, text.includes('hidden')]).toEqual([200, false]);
    expect(body).toEqual({
      ok: true,
      config: {
        port: 9090,
        toolTimeoutMs: 15_000,
        capabilityAliases: {},
        resourceAliases: {},
        promptAliases: {},
        policy: null,
        audit: null,
        mcpHttpServer: null,
        profiles: { dev: { servers: ['git'] } },
        mcpServers: { git: { command } },
        authToken: mask,
        'x-token': mask,
      },
      config_path: 'memory',
      profiles: { dev: { servers: ['git'], description: null } },
      servers: [expect.objectContaining({ id: 'git', status: 'connected', tools: 1 })],
      metrics: {
        uptime_secs: 0,
        catalog_requests: 0,
        not_modified: 0,
        executions: 0,
        executions_failed: 0,
        replays: 0,
        approvals_pending: 0,
      },
      file_issues: [],
    });
  });

  it('reports problems of a file that was changed by hand', async () => {
    const { get, change, source, clock } = await start();
    source.replace({ mcpServers: { git: {} } });
    await clock.advance(0);
    expect((await get('/v1/config')).body).toMatchObject({
      config: { mcpServers: { git: { command } } },
      file_issues: [{ path: 'mcpServers.git', message: expect.stringContaining('exactly one') }],
    });
    const { status, body } = await change('reload', {});
    expect([status, body]).toEqual([400, refusal('INVALID_ARGS', expect.stringContaining('mcpServers.git'))]);
  });
});

describe('a change', () => {
  it('of access rules ends the streams that were open before, and they receive nothing more', async () => {
    const { app, change, plane, source, clock } = await start();
    const response = await app.request('/v1/resources/updates', { headers: { Host: '127.0.0.1:9090' } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe(': connected\n\n');
    await change('servers', { name: 'late', server: { command } });
    await clock.advance(50);
    expect((await reader?.read())?.value).toContain('"late.push"');
    const rbac = { roles: { guest: {} }, defaultRole: 'guest' };
    source.replace({ mcpServers: { git: { command } }, rbac });
    await clock.advance(50);
    expect(plane.state().config.rbac).not.toBeNull();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it('of a server is answered with its effect and the new catalog', async () => {
    const { change, remove, plane } = await start();
    const changes = { mounted: ['late'], unmounted: [], updated: [], unchanged: ['git'] };
    const added = await change('servers', { name: 'late', server: { command } });
    expect([added.status, added.body]).toEqual([
      ...[200, { ok: true, server: 'late', status: 'connected', changes, catalog_version: digest }],
    ]);
    expect((await change('servers/late/restart', {})).body).toEqual({ ok: true, server: 'late', status: 'connected' });
    const { version } = plane.state().catalog;
    const removed = await remove('servers/late');
    expect([removed.status, removed.body]).toEqual([200, { ok: true, server: 'late', catalog_version: digest }]);
    expect(plane.state().catalog.version).not.toBe(version);
  });

  it('of an alias, the policy or a profile is answered with what is in force', async () => {
    const { change, remove } = await start();
    const webhook = { url: 'https://u:p@h/?k=v', secret: 's' };
    const shown = { url: `https://${mask}:${mask}@h/?k=${mask}`, secret: mask, headers: {} };
    expect((await change('alias', { kind: 'tool', alias: 'ship', target: 'git.push' })).body).toEqual({
      ok: true,
      kind: 'tool',
      alias: 'ship',
      target: 'git.push',
      catalog_version: digest,
    });
    expect((await change('alias', { kind: 'tool', alias: 'ship' })).body).toMatchObject({ ok: true, target: null });
    const policy = { allow: [], deny: ['a.*'], require_approval: [], approval_timeout_secs: 300 };
    const first = await change('policy', { deny: ['a.*'], redact_keys: ['pin'], webhook });
    expect(first.body).toEqual({
      ok: true,
      catalog_version: digest,
      policy: { ...policy, redact_keys: ['pin'], webhook: shown },
    });
    expect((await change('policy', { webhook: shown })).body).toEqual(first.body);
    expect((await change('policy', { deny: null, webhook: null })).body).toMatchObject({
      policy: { deny: [], redact_keys: ['pin'], webhook: null },
    });
    expect((await change('profiles', { name: 'dev', servers: ['git'], description: 'D' })).body).toEqual({
      ok: true,
      profile: 'dev',
      servers: ['git'],
      catalog_version: digest,
    });
    expect((await remove('profiles/dev')).body).toEqual({ ok: true, profile: 'dev', catalog_version: digest });
  });

  it.each<readonly [string, unknown, string | RegExp]>([
    ['servers', { name: 'a.b', server: { command } }, /^name: must be 1 to 64 of/],
    ['servers', { name: 'a', server: {} }, /^mcpServers\.a: /],
    ['servers', { name: 'a' }, /^server: is required/],
    ['servers', { name: 'a', server: { command, env: { A: 1 } } }, /^server\.env\.A: expected string/],
    ['alias', { kind: 'tools', alias: 'a' }, /^kind: expected/],
    ['alias', { kind: 'tool', alias: '' }, /^alias: /],
    ['alias', { kind: 'prompt', alias: 'a', target: 'git.x', passthrough: true }, /^passthrough: is for tools/],
    ['policy', { requireApproval: [] }, /^requireApproval: /],
    ['policy', { allow: 'git.*' }, /^allow: /],
    ['policy', { approval_timeout_secs: 0 }, /^approval_timeout_secs: /],
    ['policy', { webhook: { url: 'ftp://h' } }, /^webhook\.url: must be an http: or https: address/],
    ['profiles', { name: 'dev', servers: ['git', 'nope'] }, /^profiles\.dev\.servers\[1\]: /],
    ['profiles', { name: 'dev' }, /^servers: is required/],
  ])('of %s by %j is refused with the path of what is wrong', async (path, body, message) => {
    const { change, source } = await start();
    const before = source.current();
    const answer = await change(path, body);
    expect([answer.status, answer.body]).toEqual([400, refusal('INVALID_ARGS', expect.stringMatching(message))]);
    expect(source.current()).toBe(before);
  });

  it('of what is not there is 404', async () => {
    const { change, remove } = await start();
    const answers = await Promise.all([
      remove('servers/nope'),
      remove('servers/__proto__'),
      change('servers/nope/restart', {}),
      change('alias', { kind: 'tool', alias: 'nope' }),
      remove('profiles/nope'),
    ]);
    expect(answers.map(({ status, body }) => [status, (body as { error: { code: string } }).error.code])).toEqual(
      Array.from({ length: 5 }, () => [404, 'RESOURCE_NOT_FOUND']),
    );
  });

  it('names its fields that count from the next start', async () => {
    const { change, source } = await start();
    source.replace({ mcpServers: { git: { command } }, port: 9999 });
    expect((await change('reload', {})).body).toEqual({
      ok: true,
      mounted: [],
      unmounted: [],
      updated: [],
      unchanged: ['git'],
      needs_restart: ['port'],
      catalog_version: digest,
    });
  });

  it('by a page of another origin is refused for every method', async () => {
    const { send, source } = await start();
    const before = source.current();
    for (const method of ['DELETE', 'POST']) {
      const headers = { ...json, Origin: 'https://evil.example' };
      const path = method === 'POST' ? '/v1/config/servers/git/restart' : '/v1/config/servers/git';
      expect((await send(path, { method, headers })).status).toBe(403);
    }
    expect(source.current()).toBe(before);
  });
});

describe('GET /v1/catalog/events', () => {
  it('gives what came after a cursor, and says when it does not know it', async () => {
    const { get, change, plane } = await start();
    const read = async (query = '') => (await get(`/v1/catalog/events${query}`)).body as Record<string, string>;
    const first = await read();
    expect(first).toEqual({
      catalog_version: plane.state().catalog.version,
      cursor: expect.any(String),
      events: [
        {
          id: expect.any(String),
          timestamp: 0,
          object_type: 'capability',
          object_id: 'git.push',
          change_type: 'added',
          catalog_version: digest,
        },
      ],
    });
    await change('alias', { kind: 'tool', alias: 'ship', target: 'git.push' });
    const next = await read(`?after=${first.cursor}`);
    expect(next).toMatchObject({
      events: [
        { object_id: 'git.push', change_type: 'removed' },
        { object_id: 'ship', change_type: 'added' },
      ],
    });
    expect('reset' in next).toBe(false);
    expect((await read(`?after=${next.cursor}`)).events).toEqual([]);
    expect(await read('?after=nothing')).toMatchObject({ reset: true, events: [{}, {}, {}] });
  });
});
