// Changes by operators while the daemon runs, by the API and by hand: they are in force at once, on disk, in the feeds
// and in the audit log; a refused one changes nothing.
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { openUpdates } from './support/event-stream.js';
import { dead, fixture, scripted, tool } from './support/upstreams.js';
import { eventually, isAlive } from './support/wait.js';

type Body = Readonly<Record<string, unknown>> & {
  readonly error: { readonly code: string; readonly message: string } | null;
};
interface Shown {
  readonly config: Readonly<Record<string, unknown>> & {
    readonly mcpServers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  readonly config_path: string;
  readonly file_issues: readonly { readonly path: string; readonly message: string }[];
}
interface Feed {
  readonly catalog_version: string;
  readonly cursor: string;
  readonly reset?: boolean;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

const shown = async (daemon: Daemon) => (await daemon.get<Shown>('/v1/config')).body;
const fileOf = async (daemon: Daemon) => (await shown(daemon)).config_path;
const feedOf = async (daemon: Daemon, after?: string) =>
  (await daemon.get<Feed>(`/v1/catalog/events${after === undefined ? '' : `?after=${after}`}`)).body;
const versionOf = async (daemon: Daemon) => (await daemon.list('capabilities')).body.catalog_version;
const upsert = (daemon: Daemon, name: string, server: object) =>
  daemon.post<Body>('/v1/config/servers', { name, server });
const remove = (daemon: Daemon, path: string) => daemon.send<Body>(path, { method: 'DELETE' });
const changesIn = async (daemon: Daemon) =>
  (await daemon.get<{ events: readonly Body[] }>('/v1/audit/events?event_type=config_change&limit=500')).body.events;
const summary = ({ events }: Feed) =>
  events.map(({ change_type, object_type, object_id }) => `${change_type} ${object_type} ${object_id}`);

/** An answer waits 5 s on the daemon's clock for a first connection: enough on any machine where that is slower. */
const patient = { clockFactor: 0.2 };

describe('a server', () => {
  it('is mounted, replaced, restarted and removed while the daemon runs [overview-runtime-server-changes] [config-upsert-route] [config-upsert-request] [config-upsert-shape] [config-delete-route] [config-restart-route] [events-config-emit]', async () => {
    const kept = scripted({ tools: [tool('stay')] });
    const daemon = await startDaemonProcess({ mcpServers: { kept: kept.server } }, patient);
    await daemon.connected();
    const { pid: keptPid } = await daemon.server('kept');
    const { cursor } = await feedOf(daemon);

    const added = scripted({ tools: [tool('one')], prompts: [{ name: 'hi' }] });
    const mounted = await upsert(daemon, 'added', added.server);
    expect([mounted.status, mounted.body]).toMatchObject([
      200,
      {
        ok: true,
        server: 'added',
        status: 'connected',
        changes: { mounted: ['added'], unmounted: [], updated: [], unchanged: ['kept'] },
      },
    ]);
    expect(await daemon.ids('capabilities')).toEqual(['added.one', 'kept.stay']);
    const feed = await feedOf(daemon, cursor);
    expect(summary(feed)).toEqual(['added capability added.one', 'added prompt added.hi']);
    expect(feed.catalog_version).toBe(await versionOf(daemon));

    const { pid } = await daemon.server('added');
    const restarted = await daemon.send<Body>('/v1/config/servers/added/restart', { method: 'POST' });
    expect([restarted.status, restarted.body]).toMatchObject([200, { ok: true, server: 'added', status: 'connected' }]);
    const next = await daemon.server('added');
    expect([next.pid === pid, isAlive(pid ?? 0)]).toEqual([false, false]);
    expect((await feedOf(daemon, feed.cursor)).events).toEqual([]);

    const other = scripted({ tools: [tool('two')] });
    const replaced = await upsert(daemon, 'added', other.server);
    expect(replaced.body).toMatchObject({ changes: { mounted: [], updated: ['added'], unchanged: ['kept'] } });
    expect(await daemon.ids('capabilities')).toEqual(['added.two', 'kept.stay']);
    expect(summary(await feedOf(daemon, feed.cursor))).toEqual([
      'removed capability added.one',
      'removed prompt added.hi',
      'added capability added.two',
    ]);

    const last = await daemon.server('added');
    const gone = await remove(daemon, '/v1/config/servers/added');
    expect([gone.status, gone.body]).toMatchObject([200, { ok: true, server: 'added' }]);
    expect(isAlive(last.pid ?? 0)).toBe(false);
    expect(await daemon.ids('capabilities')).toEqual(['kept.stay']);
    expect((await daemon.server('kept')).pid).toBe(keptPid);
    expect((await remove(daemon, '/v1/config/servers/added')).status).toBe(404);
    expect((await daemon.send('/v1/config/servers/added/restart', { method: 'POST' })).status).toBe(404);
  });

  it('is answered for though it cannot be reached yet, and every field of it may be given [config-server-fields]', async () => {
    const daemon = await startDaemonProcess({ mcpServers: {} }, patient);
    const stdio = await upsert(daemon, 'dead', {
      ...dead,
      args: ['a'],
      env: { A: 'b' },
      url: null,
      resilience: { maxRestarts: 0 },
    });
    expect(stdio.body).toMatchObject({ ok: true, status: 'disabled' });
    const http = await upsert(daemon, 'far', {
      command: null,
      url: 'http://127.0.0.1:1/mcp',
      protocolVersion: '2025-11-25',
      allowStateless: true,
      headers: { 'x-a': 'b' },
      auth: { type: 'bearer', token: 't' },
    });
    expect(http.body).toMatchObject({ ok: true, status: 'degraded' });
  });

  it('that is disabled stays so until it is restarted by hand [supervision-disabled-until-restart]', async () => {
    const upstream = scripted({ tools: [tool('echo')] });
    const config = { mcpServers: { s: { ...upstream.server, resilience: { maxRestarts: 0 } } } };
    const daemon = await startDaemonProcess(config, patient);
    await daemon.connected();
    process.kill((await daemon.server('s')).pid ?? 0, 'SIGKILL');
    await eventually(async () => expect((await daemon.server('s')).status).toBe('disabled'));
    const restarted = await daemon.send<Body>('/v1/config/servers/s/restart', { method: 'POST' });
    expect(restarted.body).toMatchObject({ ok: true, status: 'connected' });
    expect((await daemon.call('s.echo')).status).toBe(200);
  });

  it('finishes the calls that run at it before it is replaced', async () => {
    const upstream = scripted({ tools: [tool('slow')] });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const running = daemon.call('s.slow', { ms: 400 });
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    const replaced = await upsert(daemon, 's', { ...upstream.server, env: { NEW: '1' } });
    expect([(await running).status, replaced.status]).toEqual([200, 200]);
    await daemon.connected();
    expect((await daemon.call('s.slow', { ms: 1 })).status).toBe(200);
  });
});

describe('an invalid change', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    const upstream = scripted({ tools: [tool('echo'), tool('add')] });
    daemon = await startDaemon({ mcpServers: { s: upstream.server }, capabilityAliases: { one: 's.add' } });
    await daemon.connected();
  });

  it.each<[string, string, object, string]>([
    [
      'a server with both transports',
      '/v1/config/servers',
      { name: 'x', server: { command: 'a', url: 'http://b' } },
      'exactly one',
    ],
    ['a server with neither', '/v1/config/servers', { name: 'x', server: {} }, 'exactly one'],
    ['a name with a dot', '/v1/config/servers', { name: 'a.b', server: fixture() }, 'name'],
    [
      'an argument that is no text',
      '/v1/config/servers',
      { name: 'x', server: { command: 'a', args: [1] } },
      'server.args',
    ],
    ['an address that is none', '/v1/config/servers', { name: 'x', server: { url: 'nonsense' } }, 'url'],
    [
      'a mask that stands for nothing',
      '/v1/config/servers',
      { name: 'x', server: { command: 'a', env: { A: '********' } } },
      'server.env.A',
    ],
    ['no server', '/v1/config/servers', { name: 'x' }, 'server'],
    ['an alias of an existing id', '/v1/config/alias', { kind: 'tool', alias: 's.echo', target: 's.add' }, 'existing'],
    ['an alias of an alias', '/v1/config/alias', { kind: 'tool', alias: 'two', target: 'one' }, 'alias'],
    ['an alias of nothing', '/v1/config/alias', { kind: 'tool', alias: 'two', target: 'nodot' }, 'nodot'],
    ['an unknown kind', '/v1/config/alias', { kind: 'capability', alias: 'a', target: 's.add' }, 'kind'],
    ['a profile of an unknown server', '/v1/config/profiles', { name: 'p', servers: ['nope'] }, 'nope'],
    ['a pattern that is no text', '/v1/config/policy', { deny: [1] }, 'deny'],
    ['a policy field that nobody knows', '/v1/config/policy', { denied: ['s.*'] }, 'denied'],
    ['no time to approve', '/v1/config/policy', { approval_timeout_secs: 0 }, 'approval_timeout_secs'],
    ['a webhook without an address', '/v1/config/policy', { webhook: { secret: 'x' } }, 'webhook.url'],
    [
      'a webhook with two secrets',
      '/v1/config/policy',
      { webhook: { url: 'http://a', secret: 'x', secret_env: 'Y' } },
      'both',
    ],
  ])(
    'such as %s is refused whole, and nothing moves [catalog-alias-shadow-refused]',
    async (_what, path, body, named) => {
      const before = async () => {
        const { body: list, headers } = await daemon.list('capabilities');
        const file = await fileOf(daemon);
        return [list, headers.etag, readFileSync(file, 'utf8'), statSync(file).ino, (await daemon.server('s')).pid];
      };
      const was = await before();
      const answer = await daemon.post<Body>(path, body);
      expect([answer.status, answer.body.error]).toEqual([
        400,
        { code: 'INVALID_ARGS', message: expect.stringContaining(named), retryable: false },
      ]);
      expect(await before()).toEqual(was);
    },
  );
});

describe('the configuration', () => {
  const secrets = {
    env: 'env-canary',
    header: 'header-canary',
    token: 'token-canary',
    webhook: 'webhook-canary',
    login: 'login-canary',
    query: 'query-canary',
  };
  const canaries = Object.values(secrets);

  it('is shown with its metrics and without a secret, and what is posted back masked stays as it is [config-get] [config-get-shape]', async () => {
    const upstream = scripted({ tools: [tool('echo')] });
    const file = {
      authToken: secrets.token,
      mcpServers: {
        s: { ...upstream.server, env: { KEY: secrets.env } },
        far: {
          url: `http://me:${secrets.login}@127.0.0.1:1/mcp?key=${secrets.query}`,
          headers: { 'x-key': secrets.header },
          auth: { type: 'bearer', token: secrets.token },
        },
      },
      policy: { webhook: { url: 'http://127.0.0.1:1/', secret: secrets.webhook } },
      profiles: { p: { servers: ['s'] } },
    };
    const daemon = await startDaemon(file);
    await daemon.connected('s');
    const { status, body, text } = await daemon.get<Shown>('/v1/config');
    expect(status).toBe(200);
    for (const canary of canaries) expect(text).not.toContain(canary);
    expect(body).toMatchObject({
      ok: true,
      config: {
        port: 9090,
        authToken: '********',
        mcpServers: {
          s: { env: { KEY: '********' } },
          far: {
            url: 'http://********:********@127.0.0.1:1/mcp?key=********',
            headers: { 'x-key': '********' },
            auth: { type: 'bearer', token: '********' },
          },
        },
      },
      config_path: expect.any(String),
      profiles: { p: { servers: ['s'], description: null } },
      servers: [{ id: 's' }, { id: 'far' }],
      metrics: { uptime_secs: expect.any(Number), executions: 0, catalog_requests: expect.any(Number) },
    });
    const { pid } = await daemon.server('s');
    for (const [name, server] of Object.entries(body.config.mcpServers)) {
      expect((await upsert(daemon, name, server)).body).toMatchObject({ changes: { updated: [], mounted: [] } });
    }
    expect((await daemon.server('s')).pid).toBe(pid);
    expect(JSON.parse(readFileSync(body.config_path, 'utf8'))).toEqual(file);
    const audit = await daemon.get('/v1/audit/export');
    for (const canary of canaries) expect(`${audit.text}${daemon.logText()}`).not.toContain(canary);
  });

  it('keeps comments, layout and unknown keys of the file through every change [config-keeps-comments]', async () => {
    const { server } = scripted({ tools: [tool('echo')] });
    const text = `{
\t// the servers of this machine
\t"mcpServers": {
\t\t"s": { "command": ${JSON.stringify(server.command)}, "args": ${JSON.stringify(server.args)}, "note": "mine" /* kept */ },
\t},
\t"x-team": ["a", "b"], // whose it is
}
`;
    const daemon = await startDaemon(text);
    await daemon.connected();
    const file = await fileOf(daemon);
    await daemon.post('/v1/config/alias', { kind: 'tool', alias: 'e', target: 's.echo' });
    await upsert(daemon, 's', { ...server, env: { A: '1' } });
    await daemon.post('/v1/config/profiles', { name: 'p', servers: ['s'], description: 'all' });
    await daemon.post('/v1/config/policy', { deny: ['s.secret'] });
    const after = readFileSync(file, 'utf8');
    for (const piece of [
      '// the servers of this machine',
      '"note": "mine"',
      '/* kept */',
      '"x-team": ["a", "b"]',
      '// whose it is',
    ]) {
      expect(after).toContain(piece);
    }
    expect(await daemon.ids('capabilities')).toEqual(['e']);
    await remove(daemon, '/v1/config/profiles/p');
    await daemon.post('/v1/config/alias', { kind: 'tool', alias: 'e' });
    expect(await daemon.ids('capabilities')).toEqual(['s.echo']);
    expect(readFileSync(file, 'utf8')).toContain('// the servers of this machine');
  });

  it('takes 50 changes at once, and all of them land', async () => {
    const daemon = await startDaemon({ mcpServers: {} });
    const numbers = Array.from({ length: 50 }, (_, index) => index);
    const answers = await Promise.all(
      numbers.map((n) => daemon.post<Body>('/v1/config/alias', { kind: 'tool', alias: `a${n}`, target: `s.t${n}` })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const { capabilityAliases } = JSON.parse(readFileSync(await fileOf(daemon), 'utf8'));
    expect(Object.keys(capabilityAliases).sort()).toEqual(numbers.map((n) => `a${n}`).sort());
    const recorded = await changesIn(daemon);
    expect(recorded.filter(({ status }) => status === 'success')).toHaveLength(50);
  });
});

describe('an alias, the policy and a profile', () => {
  it('change what is listed at once, and every feed says so [config-alias-route] [config-alias-request] [config-alias-remove] [config-policy-route] [config-policy-request] [config-changes-digest] [events-feed-route] [events-feed-after] [events-feed-event] [events-updates-broadcast]', async () => {
    const upstream = scripted({
      tools: [tool('echo'), tool('add')],
      resources: [{ uri: 'a://b', name: 'b' }],
      prompts: [{ name: 'hi' }],
    });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const versions = [await versionOf(daemon)];
    const stream = await openUpdates(daemon);
    let { cursor } = await feedOf(daemon);
    const step = async (path: string, body: object, expected: readonly string[]) => {
      const answer = await daemon.post<Body>(path, body);
      expect([answer.status, answer.body.ok]).toEqual([200, true]);
      const feed = await feedOf(daemon, cursor);
      expect(summary(feed)).toEqual(expected);
      for (const event of feed.events) {
        expect(event).toEqual({
          id: expect.any(String),
          timestamp: expect.any(Number),
          object_type: expect.any(String),
          object_id: expect.any(String),
          change_type: expect.any(String),
          catalog_version: answer.body.catalog_version,
        });
      }
      expect(answer.body.catalog_version).toBe(await versionOf(daemon));
      ({ cursor } = feed);
      versions.push(feed.catalog_version);
      return answer.body;
    };
    const alias = '/v1/config/alias';
    const aliased = await step(alias, { kind: 'tool', alias: 'plus', target: 's.add' }, [
      'removed capability s.add',
      'added capability plus',
    ]);
    expect(aliased).toMatchObject({ kind: 'tool', alias: 'plus', target: 's.add' });
    await step(alias, { kind: 'resource', alias: 'book', target: 's.a://b' }, [
      'removed resource s.a://b',
      'added resource book',
    ]);
    await step(alias, { kind: 'prompt', alias: 'hello', target: 's.hi' }, [
      'removed prompt s.hi',
      'added prompt hello',
    ]);
    expect((await daemon.call('plus')).status).toBe(200);
    await step(alias, { kind: 'tool', alias: 'plus', target: null }, [
      'removed capability plus',
      'added capability s.add',
    ]);
    expect((await daemon.call('plus')).status).toBe(404);
    expect((await daemon.post(alias, { kind: 'tool', alias: 'plus' })).status).toBe(404);

    const denied = await step('/v1/config/policy', { deny: ['s.add'], redact_keys: ['pin'] }, [
      'removed capability s.add',
    ]);
    expect(denied.policy).toMatchObject({ deny: ['s.add'], allow: [], redact_keys: ['pin'], webhook: null });
    expect((await daemon.call('s.add')).status).toBe(403);
    const merged = await step('/v1/config/policy', { require_approval: ['s.echo'], approval_timeout_secs: 7 }, []);
    expect(merged.policy).toMatchObject({
      deny: ['s.add'],
      require_approval: ['s.echo'],
      redact_keys: ['pin'],
      approval_timeout_secs: 7,
    });
    expect((await daemon.call('s.echo')).status).toBe(202);
    await step('/v1/config/policy', { deny: [], require_approval: [] }, ['added capability s.add']);

    expect(new Set(versions).size).toBeGreaterThanOrEqual(7);
    await eventually(() => {
      const announced = stream.events('catalog_changed').map(({ data }) => data.catalog_version);
      expect(announced.at(-1)).toBe(versions.at(-1));
    });
  });

  it('a webhook is merged with the rest of the policy and removed by null [config-webhook-request]', async () => {
    const daemon = await startDaemon({ mcpServers: {} });
    const set = (webhook: object | null) => daemon.post<Body>('/v1/config/policy', { webhook });
    const given = await set({
      url: 'http://127.0.0.1:1/a',
      secret: 'hush',
      auth_header: 'Bearer me',
      headers: { A: 'b' },
    });
    expect(given.body.policy).toMatchObject({
      webhook: { url: 'http://127.0.0.1:1/a', secret: '********', auth_header: '********', headers: { A: '********' } },
    });
    const masked = await set({ url: 'http://127.0.0.1:1/b', secret: '********', auth_header: null });
    expect(masked.status).toBe(200);
    const file = await fileOf(daemon);
    expect(JSON.parse(readFileSync(file, 'utf8')).policy.webhook).toEqual({
      url: 'http://127.0.0.1:1/b',
      secret: 'hush',
    });
    const missing = await set({ url: 'http://127.0.0.1:1/b', secret_env: 'NOT_SET_ANYWHERE' });
    expect([missing.status, missing.body.error?.message]).toEqual([400, expect.stringContaining('NOT_SET_ANYWHERE')]);
    expect((await set(null)).body.policy).toMatchObject({ webhook: null });
    expect(JSON.parse(readFileSync(file, 'utf8')).policy).toEqual({});
  });

  it('a profile is there as soon as it is made, and loses a server that is removed', async () => {
    const [one, two] = [scripted({ tools: [tool('a')] }), scripted({ tools: [tool('b')] })];
    const daemon = await startDaemon({ mcpServers: { one: one.server, two: two.server } });
    await daemon.connected();
    const listed = async () => {
      const { status, body } = await daemon.get<{ capabilities: { id: string }[] }>('/v1/capabilities?profile=p');
      return status === 200 ? body.capabilities.map(({ id }) => id) : status;
    };
    expect(await listed()).toBe(404);
    await daemon.post('/v1/config/profiles', { name: 'p', servers: ['one', 'two'] });
    expect(await listed()).toEqual(['one.a', 'two.b']);
    await remove(daemon, '/v1/config/servers/two');
    expect(await listed()).toEqual(['one.a']);
    const { profiles } = (await daemon.get<{ profiles: object }>('/v1/config')).body;
    expect(profiles).toEqual({ p: { servers: ['one'], description: null } });
    expect((await remove(daemon, '/v1/config/profiles/p')).status).toBe(200);
    expect(await listed()).toBe(404);
  });
});

describe('the file', () => {
  it('is followed: a mistake changes nothing and is reported, and its correction applies [config-reload-route] [audit-emits-config-changes]', async () => {
    const upstream = scripted({ tools: [tool('echo')] });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const file = await fileOf(daemon);
    const was = [await versionOf(daemon), (await daemon.server('s')).pid];
    const replace = (config: object) => {
      writeFileSync(`${file}.new`, JSON.stringify(config));
      renameSync(`${file}.new`, file); // never half of it, whenever it is read
    };
    replace({ mcpServers: { s: upstream.server, t: {} } });
    await eventually(async () =>
      expect((await shown(daemon)).file_issues).toEqual([
        { path: 'mcpServers.t', message: expect.stringContaining('neither') },
      ]),
    );
    const reload = () => daemon.send<Body>('/v1/config/reload', { method: 'POST' });
    expect((await reload()).status).toBe(400);
    expect((await daemon.post('/v1/config/alias', { kind: 'tool', alias: 'e', target: 's.echo' })).status).toBe(400);
    expect([await versionOf(daemon), (await daemon.server('s')).pid]).toEqual(was);

    const more = scripted({ tools: [tool('more')] });
    replace({ mcpServers: { s: upstream.server, t: more.server }, port: 1234 });
    await eventually(async () => expect(await daemon.ids('capabilities')).toEqual(['s.echo', 't.more']));
    expect((await shown(daemon)).file_issues).toEqual([]);
    expect((await daemon.server('s')).pid).toBe(was[1]);
    expect((await reload()).body).toMatchObject({
      ok: true,
      mounted: [],
      unmounted: [],
      updated: [],
      unchanged: ['s', 't'],
      needs_restart: ['port'],
      catalog_version: await versionOf(daemon),
    });
    const recorded = (await changesIn(daemon)).map(({ status, details }) => {
      const { action, source } = details as { action: string; source?: string };
      return [status, action, source].join(' ').trim();
    });
    expect(recorded).toEqual([
      'success reload request',
      'success reload file',
      'failed alias_update',
      'failed reload request',
      'failed reload file',
    ]);
    expect((await daemon.get<{ report: object }>('/v1/audit/verify')).body.report).toMatchObject({ is_valid: true });
  });

  it('and the feed go on after a restart as they were left', async () => {
    const upstream = scripted({ tools: [tool('echo'), tool('add')] });
    const first = await startDaemon({ mcpServers: { s: upstream.server } });
    await first.connected();
    await first.post('/v1/config/alias', { kind: 'tool', alias: 'e', target: 's.echo' });
    const [file, left, version] = [await fileOf(first), await feedOf(first), await versionOf(first)];
    const stateDir = `${file.slice(0, file.lastIndexOf('/'))}/state`;
    await first.stop();
    const again = await startDaemon(undefined, { configFile: file, stateDir });
    await again.connected();
    expect([await versionOf(again), await again.ids('capabilities')]).toEqual([version, ['e', 's.add']]);
    expect(await feedOf(again)).toEqual(left);
    expect((await feedOf(again, left.cursor)).events).toEqual([]);
    expect(await feedOf(again, 'nonsense')).toEqual({ ...left, reset: true });
    await again.post('/v1/config/alias', { kind: 'tool', alias: 'e' });
    expect(summary(await feedOf(again, left.cursor))).toEqual(['removed capability e', 'added capability s.echo']);
  });
});
