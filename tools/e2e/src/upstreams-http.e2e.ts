// Servers that are reached over HTTP: transports and protocol eras, sessions, credentials, headers and addresses.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import './support/metadata-name.mjs';
import { type Exchange, type Recorder, recordRequests, startHttpFixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const metadataName = new URL('./support/metadata-name.mjs', import.meta.url);
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('a server with a url', () => {
  let daemon: Daemon;
  let modern: Recorder;
  let session: Recorder;

  beforeAll(async () => {
    const [json, sse, stateless, newEra, old, bearer, user] = await Promise.all([
      startHttpFixture('--mode', 'legacy-json'),
      startHttpFixture('--mode', 'legacy-sse'),
      startHttpFixture('--mode', 'legacy-stateless'),
      startHttpFixture('--mode', 'modern'),
      startHttpFixture('--mode', 'old-sse'),
      startHttpFixture('--bearer', 'token of the test'),
      startHttpFixture('--basic', 'user:pass:word'),
    ]);
    modern = await recordRequests(newEra);
    session = await recordRequests(json);
    const { url } = bearer;
    const headers = { 'X-Team': 'portico', 'x-lower': 'plain' };
    const mcpServers = {
      modern: { url: modern.url, headers },
      session: { url: session.url, protocolVersion: '2025-11-25', headers },
      detected: { url: json.url },
      sse: { url: sse.url },
      old: { url: old.url },
      stateless: { url: stateless.url },
      stateless_allowed: { url: stateless.url, protocolVersion: '2025-11-25', allowStateless: true },
      bearer: { url, auth: { type: 'bearer', token: 'token of the test' } },
      bearer_env: { url, auth: { type: 'bearer', tokenEnv: 'TOKEN_OF_THE_TEST' } },
      bearer_wrong: { url, auth: { type: 'bearer', token: 'another' } },
      basic: { url: user.url, auth: { type: 'basic', username: 'user', password: 'pass:word' } },
      basic_env: { url: user.url, auth: { type: 'basic', username: 'user', passwordEnv: 'PASSWORD_OF_THE_TEST' } },
      metadata: { url: 'http://169.254.169.254/mcp' },
      metadata_name: { url: 'http://metadata.google.internal/mcp' },
      link_local: { url: 'http://[fe80::1]/mcp' },
      link_local_allowed: { url: 'http://[fe80::1]/mcp', allowPrivateMetadata: true },
      metadata_allowed: { url: json.url.replace('127.0.0.1', 'metadata.goog'), allowPrivateMetadata: true },
    };
    daemon = await startDaemon(
      { mcpServers },
      {
        env: {
          TOKEN_OF_THE_TEST: 'token of the test',
          PASSWORD_OF_THE_TEST: 'pass:word',
          NODE_OPTIONS: `--import ${metadataName}`, // for a daemon that is a process
        },
      },
    );
    const refused = ['stateless', 'bearer_wrong', 'metadata', 'metadata_name', 'link_local', 'link_local_allowed'];
    await daemon.connected(...Object.keys(mcpServers).filter((id) => !refused.includes(id)));
  });

  const echo = async (id: string) => {
    const { status, body } = await daemon.call(`${id}.echo`, { text: id });
    return [status, body.data?.content[0]?.text];
  };
  const headersOf = async (id: string) => (await daemon.call(`${id}.whoami`)).body.data.structuredContent.headers;
  const lastError = (id: string) =>
    eventually(async () => {
      const { status, last_error } = await daemon.server(id);
      expect(status).toBe('degraded');
      return last_error;
    });

  it.each([
    ['modern', '2026-07-28'],
    ['session', '2025-11-25'],
    ['detected', '2025-11-25'],
    ['sse', '2025-11-25'],
  ])('is used over streamable HTTP: %s, in %s [upstream-http]', async (id, version) => {
    expect(await daemon.server(id)).toMatchObject({
      transport: 'http',
      status: 'connected',
      protocol_version: version,
    });
    expect(await daemon.server(id)).not.toHaveProperty('pid');
    expect(await echo(id)).toEqual([200, id]);
  });

  it('is tried with HTTP+SSE when it answers neither era [upstream-http-sse-fallback]', async () => {
    expect(await daemon.server('old')).toMatchObject({ transport: 'http', status: 'connected' });
    expect(await echo('old')).toEqual([200, 'old']);
  });

  it('is spoken to in 2026-07-28 unless it says otherwise, without a session [upstream-protocol-default]', async () => {
    await echo('modern');
    const posts = modern.requests.filter(({ method }) => method === 'POST');
    expect(posts[0]?.rpcMethod).toBe('server/discover');
    expect(posts.map(({ headers }) => headers['mcp-protocol-version'])).toEqual(posts.map(() => '2026-07-28'));
    expect(posts.filter(({ headers, rpcMethod }) => 'mcp-session-id' in headers || rpcMethod === 'initialize')).toEqual(
      [],
    );
  });

  it('is spoken to in 2025-11-25 when it says so, in a session [upstream-protocol-2025]', async () => {
    await echo('session');
    const [first, ...others] = session.requests;
    expect([first?.method, first?.rpcMethod]).toEqual(['POST', 'initialize']);
    const sessionOf = ({ headers }: Exchange) => [headers['mcp-protocol-version'], headers['mcp-session-id']];
    expect(others.map(sessionOf)).toEqual(others.map(() => ['2025-11-25', expect.stringMatching(/^[0-9a-f-]{36}$/)]));
    expect(new Set(others.map(({ headers }) => headers['mcp-session-id'])).size).toBe(1);
    expect(others.map(({ rpcMethod }) => rpcMethod)).not.toContain('server/discover');
  });

  it('gets the configured headers with every request [config-file-http-headers]', async () => {
    const requests = [...modern.requests, ...session.requests];
    expect(requests.length).toBeGreaterThan(10);
    expect(requests.map(({ headers }) => [headers['x-team'], headers['x-lower']])).toEqual(
      requests.map(() => ['portico', 'plain']),
    );
  });

  it('of 2025-11-25 without a session id is not used [upstream-stateless-default]', async () => {
    expect(await lastError('stateless')).toMatch(/answered without a session id; set allowStateless: true to use it$/);
  });

  it('of 2025-11-25 without a session id is used with allowStateless [upstream-stateless-allowed]', async () => {
    expect(await daemon.server('stateless_allowed')).toMatchObject({ protocol_version: '2025-11-25' });
    expect(await echo('stateless_allowed')).toEqual([200, 'stateless_allowed']);
  });

  it('gets a bearer token, from the file or the environment [upstream-auth-bearer] [upstream-auth-bearer-env]', async () => {
    expect((await headersOf('bearer'))?.authorization).toBe('Bearer token of the test');
    expect((await headersOf('bearer_env'))?.authorization).toBe('Bearer token of the test');
    expect(await lastError('bearer_wrong')).toMatch(
      /^authentication failed \(status 401\) at http:\/\/127\.0\.0\.1:\d+\/mcp$/,
    );
  });

  it('gets basic credentials, the password from the file or the environment [upstream-auth-basic] [upstream-auth-basic-env]', async () => {
    expect((await headersOf('basic'))?.authorization).toBe(basic('user:pass:word'));
    expect((await headersOf('basic_env'))?.authorization).toBe(basic('user:pass:word'));
  });

  it.each(['metadata', 'metadata_name', 'link_local'])(
    'is refused at a link-local or cloud-metadata address: %s [upstream-link-local-refused]',
    async (id) => {
      expect(await lastError(id)).toMatch(
        /^(169\.254\.169\.254|metadata\.google\.internal|fe80::1) is a link-local or cloud-metadata address \(rule link-local\); set allowPrivateMetadata: true of the server to allow it$/,
      );
    },
  );

  it('is used at such an address with allowPrivateMetadata [upstream-link-local-allowed]', async () => {
    expect(await echo('metadata_allowed')).toEqual([200, 'metadata_allowed']);
    // It is tried. Node 22 and later wait 10 s for such an address at each attempt, 20 learn at once that it has no route.
    await lastError('link_local');
    const { last_error: tried } = await daemon.server('link_local_allowed');
    expect(tried ?? '').toMatch(/^($|cannot reach http:\/\/\[fe80::1\]: )/);
  });
});
