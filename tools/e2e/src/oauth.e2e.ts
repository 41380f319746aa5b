// Logging in to HTTP upstreams with OAuth 2.1: a real authorization server (oidc-provider) before a real MCP server.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { authorizationUrl, type LoginServer, openInBrowser, startLoginServer } from './support/logins.js';
import { eventually } from './support/wait.js';

/** The link that a server waits to be opened. */
const loginUrl = (daemon: Daemon, id = 'git') =>
  eventually(async () => {
    const { login_url } = await daemon.server(id);
    if (login_url === undefined) throw new Error(`${id} waits for no login`);
    return login_url;
  });

async function waiting(entry: (server: LoginServer) => object = () => ({}), ...flags: readonly string[]) {
  const server = await startLoginServer(...flags);
  const daemon = await startDaemon({ mcpServers: { git: { url: server.url, ...entry(server) } } });
  return { server, daemon };
}

async function loggedIn() {
  const { server, daemon } = await waiting();
  await openInBrowser(await loginUrl(daemon));
  await daemon.connected('git');
  return { server, daemon };
}

const oauth2 = ({ issuer }: LoginServer) => ({
  auth: { type: 'oauth2', clientId: 'portico-e2e', authorizationServerUrl: issuer, scopes: ['mcp:write'] },
});

describe('a server that asks for a login', () => {
  it('waits for it, however long it takes, and is connected right after [upstream-oauth-discovery] [upstream-oauth-callback]', async () => {
    const { daemon, server } = await waiting();
    const link = await loginUrl(daemon);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\?ticket=[\w-]{43}$/);
    expect((await authorizationUrl(link)).href).toContain(`${server.issuer}/auth?`);
    const info = { status: 'degraded', restarts: 0, last_error: `waits for a login: open ${link}` };
    expect(await daemon.server('git')).toMatchObject(info);
    const { status, body } = await daemon.call('git.echo', { text: 'x' });
    expect([status, body.error]).toMatchObject([
      502,
      { code: 'SERVER_UNREACHABLE', message: expect.stringContaining(`waits for a login: open ${link}`) },
    ]);
    await sleep(2_000);
    expect(await daemon.server('git')).toMatchObject({ ...info, login_url: link });
    const page = await openInBrowser(link);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('You are logged in') });
    await daemon.connected('git');
    expect(await daemon.server('git')).not.toHaveProperty('login_url');
    expect((await daemon.call('git.echo', { text: 'hello' })).body.data.content[0]?.text).toBe('hello');
  });

  it('sends a random state and an S256 challenge, new for every login [upstream-oauth-pkce]', async () => {
    const [first, second] = await Promise.all([waiting(), waiting()]);
    const links = await Promise.all([loginUrl(first.daemon), loginUrl(second.daemon)]);
    const params = (await Promise.all(links.map(authorizationUrl))).map(({ searchParams }) => searchParams);
    expect(params.map((param) => param.get('code_challenge_method'))).toEqual(['S256', 'S256']);
    for (const name of ['state', 'code_challenge']) {
      const values = params.map((param) => param.get(name) ?? '');
      expect(values).toEqual(values.map(() => expect.stringMatching(/^[\w-]{43}$/)));
      expect(values[0]).not.toBe(values[1]);
    }
  });

  it('is logged in to as the configured client, for the configured scopes too [upstream-oauth-fields]', async () => {
    const { daemon, server } = await waiting(oauth2);
    await openInBrowser(await loginUrl(daemon));
    await daemon.connected('git');
    const { logins } = await server.control();
    expect(logins).toEqual([
      expect.objectContaining({ client_id: 'portico-e2e', scope: 'mcp:read mcp:write offline_access' }),
    ]);
  });

  it('takes no answer with a wrong state, and still the right one [upstream-oauth-callback]', async () => {
    const { daemon, server } = await waiting();
    const link = await loginUrl(daemon);
    const callback = new URL((await authorizationUrl(link)).searchParams.get('redirect_uri') ?? '');
    expect(callback.hostname).toBe('127.0.0.1');
    const forged = await openInBrowser(`${callback.href}?code=stolen&state=wrong&iss=${server.issuer}`);
    expect(forged.status).toBe(400);
    expect((await server.control()).tokenRequests).toEqual([]);
    await openInBrowser(link);
    await daemon.connected('git');
    await eventually(() => expect(fetch(callback)).rejects.toThrow()); // no process listens any more
  });

  it('is refused where the authorization server does not promise PKCE with S256 [upstream-oauth-pkce]', async () => {
    const server = await startLoginServer();
    await server.control({ noPkce: true });
    const daemon = await startDaemon({ mcpServers: { git: { url: server.url } } });
    await eventually(async () => {
      const { status, last_error } = await daemon.server('git');
      expect([status, last_error]).toEqual(['degraded', expect.stringContaining('does not promise PKCE with S256')]);
    });
    expect(await daemon.server('git')).not.toHaveProperty('login_url');
  });
});

describe('a server that was logged in to', () => {
  it('is renewed once for ten calls that are refused at once, with a rotated token [upstream-oauth-refresh]', async () => {
    const { daemon, server } = await loggedIn();
    for (const renewals of [1, 2]) {
      await server.control({ refuseOld: true });
      const calls = await Promise.all(Array.from({ length: 10 }, () => daemon.call('git.echo', { text: 'x' })));
      expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200));
      const expected = ['authorization_code', ...Array.from({ length: renewals }, () => 'refresh_token')];
      expect((await server.control()).tokenRequests).toEqual(expected);
    }
  });

  it('asks for a login with more scope when a call needs it, and keeps what it had [upstream-oauth-scopes]', async () => {
    const { daemon, server } = await loggedIn();
    await server.control({ wants: { echo: 'mcp:write' } });
    const { status, body } = await daemon.call('git.echo', { text: 'x' });
    const link = await loginUrl(daemon);
    expect([status, body.error]).toMatchObject([
      502,
      {
        code: 'SERVER_UNREACHABLE',
        message: expect.stringContaining(`a login for more scope is needed: open ${link}`),
      },
    ]);
    expect(await daemon.server('git')).toMatchObject({ status: 'connected', circuit: { consecutive_failures: 0 } });
    expect((await authorizationUrl(link)).searchParams.get('scope')).toBe('mcp:read offline_access mcp:write');
    expect((await daemon.call('git.whoami')).status).toBe(200);
    await openInBrowser(link);
    expect((await daemon.call('git.echo', { text: 'x' })).status).toBe(200);
    expect(await daemon.server('git')).not.toHaveProperty('login_url');
  });

  it('shows no token anywhere [upstream-oauth-refresh]', async () => {
    const { daemon, server } = await loggedIn();
    await server.control({ refuseOld: true });
    await daemon.call('git.echo', { text: 'x' });
    const shown = [daemon.logText(), JSON.stringify((await daemon.get('/v1/servers')).body)].join('\n');
    const { headers } = (await daemon.call('git.whoami')).body.data.structuredContent;
    const token = headers?.authorization?.replace('Bearer ', '') ?? '';
    expect(token).toMatch(/^[\w-]{40,}$/);
    expect(shown).not.toContain(token);
  });
});
