import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestOf } from '@portico/upstream-pool';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ask,
  call,
  cleanUp,
  connect,
  forEver,
  httpServer,
  onCleanup,
  openConnector,
  patience,
  recordEvents,
  startHttpFixture,
  waitUntil,
} from './testing/kit.js';

afterEach(cleanUp);

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

const refusal = (server: Parameters<typeof connect>[0], env = {}) =>
  openConnector(env)
    .connect('upstream', server, recordEvents(), patience())
    .then(
      () => Promise.reject(new Error('connected')),
      (error) => error,
    );

const modes = [
  { mode: 'legacy-json', version: '2025-11-25' },
  { mode: 'legacy-sse', version: '2025-11-25' },
  { mode: 'modern', version: '2026-07-28' },
  { mode: 'old-sse', version: '2025-11-25' },
];

describe.each(modes)('a session over HTTP, $mode', ({ mode, version }) => {
  it('agrees on a revision, calls tools, reads lists and checks health', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session } = await connect(httpServer(url));

    expect(session.protocolVersion).toBe(version);
    expect(session.pid).toBeUndefined();
    expect(await call(session, 'echo', { text: 'grüße' })).toEqual(text('grüße'));
    expect(await call(session, 'error_result')).toMatchObject({ isError: true });
    expect((await session.discover(patience())).prompts.map(({ name }) => name)).toEqual(['greet', 'plain']);
    await session.checkHealth(patience());
    await session.close();
  });

  it('rejects with the JSON-RPC error of the server for every HTTP status', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session } = await connect(httpServer(url));

    await expect(call(session, 'fail')).rejects.toMatchObject({
      detail: {
        kind: 'rejected',
        error: { code: -32000, message: 'failed on purpose', data: { hint: 'data survives' } },
      },
    });
    await expect(
      requestOf(session, { method: 'nothing/known' as 'tools/call', params: {} }, patience()),
    ).rejects.toMatchObject({ detail: { kind: 'rejected', error: { code: -32601 } } });
  });

  it('hands results on as they were sent', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session } = await connect(httpServer(url));

    const meta = mode === 'modern' ? '' : ',"_meta":null';
    expect(JSON.stringify(await call(session, 'odd_result'))).toBe(
      `{"zeta":1,"structuredContent":[1,"two",null],"content":[{"type":"hologram","body":{}}],"alpha":{"constructor":"kept"}${meta}}`,
    );
  });

  it('cancels a call when its signal aborts', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session } = await connect(httpServer(url));
    const caller = new AbortController();

    const running = call(session, 'sleep', { ms: 60_000 }, caller.signal);
    await waitUntil(async () => (await ask<{ calls: number }>(session, 'contacts')).calls === 1, 'the call arrived');
    caller.abort(new Error('the user left'));

    await expect(running).rejects.toThrow('the user left');
    await waitUntil(
      async () => (await ask<{ requests: unknown[] }>(session, 'last_cancelled')).requests.length > 0,
      'the server knows of it',
    );
  });

  it('reports changed lists', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session, events } = await connect(httpServer(url));

    // The second read of the lists of a new session comes first.
    if (mode !== 'old-sse') await waitUntil(() => events.listChanges() > 0, 'the streams are open');
    const before = events.listChanges();
    expect(JSON.stringify(await session.discover(patience()))).not.toContain('late_tool');
    await waitUntil(async () => {
      await call(session, 'add_tool', { name: 'late_tool' });
      return events.listChanges() > before;
    }, 'the change is reported');
    expect(JSON.stringify(await session.discover(patience()))).toContain('late_tool');
  });

  it('runs many calls at once, and reads replies of megabytes', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session } = await connect(httpServer(url));
    const bytes = 3 * 1024 * 1024;

    const texts = Array.from({ length: 40 }, (_, index) => `call ${index}`);
    const big = call(session, 'big', { bytes });
    expect(await Promise.all(texts.map((value) => call(session, 'echo', { text: value })))).toEqual(texts.map(text));
    expect(await big).toEqual(text('x'.repeat(bytes)));
  });

  it('rejects calls in flight at once when the server dies, and says so', async () => {
    const server = await startHttpFixture('--mode', mode);
    const { session, events } = await connect(httpServer(server.url));

    const slow = call(session, 'sleep', { ms: 600_000 }, forEver); // nothing but the end of the server ends it
    await waitUntil(async () => (await ask<{ calls: number }>(session, 'contacts')).calls === 1, 'the call arrived');
    const exited = once(server.process, 'exit');
    server.process.kill('SIGKILL');

    await expect(slow).rejects.toMatchObject({ detail: { kind: 'unreachable', sent: true } });
    await exited; // before that, the kernel may still accept connections for it
    const next = await call(session, 'null_call').catch((error) => error);
    expect(next).toMatchObject({ detail: { kind: 'unreachable', sent: false } });
    expect(await events.closed).toEqual(expect.any(String));
  });

  it('sends configured headers and the token', async () => {
    const { url } = await startHttpFixture('--mode', mode, '--bearer', 'from-env');
    const { session } = await connect(
      httpServer(url, { headers: { 'X-Team': 'blue' }, auth: { type: 'bearer', tokenEnv: 'MY_TOKEN' } }),
      openConnector({ MY_TOKEN: 'from-env' }),
    );

    const { headers } = await ask<{ headers: object }>(session, 'whoami');
    expect(headers).toMatchObject({ 'x-team': 'blue', authorization: 'Bearer from-env' });
  });

  it('sends a header beyond ASCII as UTF-8', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session } = await connect(httpServer(url, { headers: { 'X-Team': 'grüße' } }));

    const { headers } = await ask<{ headers: Record<string, string> }>(session, 'whoami');
    expect(Buffer.from(headers['x-team'] ?? '', 'latin1').toString()).toBe('grüße');
  });

  it('leaves configured headers out that are about the connection', async () => {
    const { url } = await startHttpFixture('--mode', mode);
    const headers = { 'Content-Length': '3', Expect: '100-continue', 'Keep-Alive': 'timeout=9', Upgrade: 'h2c' };
    const { session } = await connect(httpServer(url, { headers: { ...headers, 'Transfer-Encoding': 'chunked' } }));

    const sent = (await ask<{ headers: object }>(session, 'whoami')).headers;
    for (const name of ['expect', 'keep-alive', 'upgrade', 'transfer-encoding']) expect(sent).not.toHaveProperty(name);
  });

  it('says that authentication failed', async () => {
    const { url } = await startHttpFixture('--mode', mode, '--basic', 'me:right');

    const error = await refusal(httpServer(url, { auth: { type: 'basic', username: 'me', password: 'wrong' } }));
    expect(error).toMatchObject({
      message: `authentication failed (status 401) at ${url}`,
      detail: { kind: 'unreachable', sent: false },
    });
    await connect(httpServer(url.replace('http://', 'http://me:right@')));
  });
});

describe('streamable HTTP of 2025-11-25', () => {
  it.each([404, 400])('is over when the server has forgotten the session (status %i)', async (status) => {
    const { url } = await startHttpFixture('--mode', 'legacy-json', '--unknown-session', String(status));
    const { session, events } = await connect(httpServer(url));
    await call(session, 'forget_sessions');

    const reason = `the server at ${url} no longer knows our session (status ${status})`;
    const error = await call(session, 'null_call').catch((failure) => failure);

    expect(error).toMatchObject({ detail: { kind: 'unreachable', sent: false } });
    expect(await events.closed).toBe(reason);
  });

  it('picks a broken reply stream up again where the server allows it', async () => {
    const { url } = await startHttpFixture('--mode', 'legacy-sse', '--resumable');
    const { session } = await connect(httpServer(url));

    expect(await call(session, 'drop')).toEqual(text('resumed'));
    expect(await call(session, 'null_call')).toEqual(text('ok'));
  });

  it.each(['legacy-sse', 'legacy-json', 'modern'])('rejects at once when a reply breaks off (%s)', async (mode) => {
    const { url } = await startHttpFixture('--mode', mode);
    const { session } = await connect(httpServer(url));

    await expect(call(session, 'drop')).rejects.toMatchObject({
      message: `the reply from ${url} broke off`,
      detail: { kind: 'unreachable', sent: true },
    });
    expect(await call(session, 'null_call')).toEqual(text('ok'));
  });

  it('refuses a server that gives no session id, by default', async () => {
    const { url } = await startHttpFixture('--mode', 'legacy-stateless');

    expect(await refusal(httpServer(url))).toMatchObject({
      message: `${url} answered without a session id; set allowStateless: true to use it`,
      detail: { kind: 'unreachable', sent: false },
    });
    const { session } = await connect(httpServer(url, { allowStateless: true }));
    expect(await call(session, 'null_call')).toEqual(text('ok'));
  });

  it('is the only way tried when protocolVersion says so', async () => {
    const { url } = await startHttpFixture('--mode', 'modern');

    expect(await refusal(httpServer(url, { protocolVersion: '2025-11-25' }))).toMatchObject({
      message: 'Unsupported protocol version',
      detail: { kind: 'rejected' },
    });
  });

  it('ends the session on the server when it is closed', async () => {
    const methods: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      methods.push(request.method);
      if (request.method !== 'POST') return response.writeHead(request.method === 'GET' ? 405 : 200).end();
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { id, method } = JSON.parse(body);
        if (id === undefined) return response.writeHead(202).end();
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
        const reply = method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } };
        response
          .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
      });
    });
    onCleanup(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { session } = await connect(httpServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));

    await session.close();
    await waitUntil(() => methods.includes('DELETE'), 'the server was notified');

    expect(methods.at(-1)).toBe('DELETE');
    expect(methods.filter((method) => method === 'DELETE')).toHaveLength(1);
  });
});

describe('streamable HTTP of 2026-07-28', () => {
  it('repeats method, name and declared arguments in headers, and leaves out tools that declare them wrongly', async () => {
    const { url } = await startHttpFixture('--mode', 'modern');
    const { session } = await connect(httpServer(url));

    const { tools } = await session.discover(patience());
    expect(tools.map(({ name }) => name)).toContain('region_call');
    expect(tools.map(({ name }) => name)).not.toContain('bad_header_tool');
    expect(await ask(session, 'region_call', { region: 'Øst' })).toEqual({ header: '=?base64?w5hzdA==?=' });
    const { headers } = await ask<{ headers: object }>(session, 'whoami');
    expect(headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'whoami',
    });
    expect(headers).not.toHaveProperty('mcp-session-id');
  });

  it('reads the list and repeats the call when the server misses a header', async () => {
    const { url } = await startHttpFixture('--mode', 'modern');
    const { session } = await connect(httpServer(url)); // nothing was listed yet

    expect(await ask(session, 'region_call', { region: 'eu' })).toEqual({ header: 'eu' });
  });

  it('listens again when the server ends the subscription', async () => {
    const { url } = await startHttpFixture('--mode', 'modern');
    const { session, events } = await connect(httpServer(url));
    await waitUntil(() => events.listChanges() === 1, 'the subscription is in force');

    await call(session, 'end_subscriptions');
    await waitUntil(() => events.listChanges() === 2, 'the next subscription is in force');
    expect(JSON.stringify(await session.discover(patience()))).not.toContain('late_tool');
    await call(session, 'add_tool', { name: 'late_tool' });

    await waitUntil(() => events.listChanges() === 3, 'the change is reported');
    expect(JSON.stringify(await session.discover(patience()))).toContain('late_tool');
  });
});

describe('an HTTP server that cannot be used', () => {
  it('says that the connection was refused, without credentials or query', async () => {
    // No system assigns this port for port 0.
    expect(await refusal(httpServer('http://me:secret@127.0.0.1:2/mcp?key=secret'))).toMatchObject({
      name: 'HttpFailure',
      message: 'connection refused at http://127.0.0.1:2',
      detail: { kind: 'unreachable', sent: false },
    });
  });

  it('says that the host has no address', async () => {
    const nowhere = `${'x'.repeat(64)}.invalid`; // no name has a part as long as this, so that no name server is asked
    expect(await refusal(httpServer(`http://${nowhere}/mcp`))).toMatchObject({
      message: `cannot resolve the host name ${nowhere}`,
    });
  });

  it('follows a redirect within the origin and no other', async () => {
    const { origin } = await startHttpFixture('--mode', 'legacy-json');

    const { session } = await connect(httpServer(`${origin}/same-origin`));
    expect(await call(session, 'null_call')).toEqual(text('ok'));
    expect(await refusal(httpServer(`${origin}/elsewhere`))).toMatchObject({
      message: `${origin}/elsewhere redirects to http://other.invalid/mcp; set that as the url if it is the right server`,
    });
  });

  it('says what it answered when that is no MCP', async () => {
    const { origin } = await startHttpFixture('--mode', 'legacy-json');

    expect(await refusal(httpServer(`${origin}/html`))).toMatchObject({
      message: `${origin}/html answered with text/html, which is not MCP`,
    });
    expect((await refusal(httpServer(`${origin}/nowhere`))).message).toBe(
      `HTTP 404 from ${origin}/nowhere; nor is it an HTTP+SSE server: HTTP 404 from ${origin}/nowhere`,
    );
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://[fe80::1]/mcp',
    'http://[::ffff:169.254.169.254]/mcp',
    'http://2852039166/mcp',
    'http://100.100.100.200/mcp',
    'http://[fd00:ec2::254]/mcp',
    'http://metadata.google.internal/mcp',
  ])('is refused as a metadata address: %s', async (url) => {
    const error = await refusal(httpServer(url));
    expect(error.message).toMatch(
      /^\S+ is a link-local or cloud-metadata address \(rule link-local\); set allowPrivateMetadata: true of the server to allow it$/,
    );
    expect(error).toMatchObject({ detail: { kind: 'unreachable', sent: false } });
  });

  it('is refused when a variable that should hold its secret is not set', async () => {
    const auth = { type: 'bearer', tokenEnv: 'MISSING_TOKEN' } as const;
    expect(await refusal(httpServer('http://127.0.0.1:1/', { auth }))).toMatchObject({
      message: 'environment variable MISSING_TOKEN (auth.tokenEnv) is not set',
    });
  });

  it.each([
    { settings: { headers: { 'X-Key': 's3cret\n' } }, field: 'headers.X-Key' },
    { settings: { auth: { type: 'bearer', token: 's3cret\n' } as const }, field: 'auth.token' },
    {
      settings: { auth: { type: 'bearer', tokenEnv: 'MY_TOKEN' } as const },
      field: 'environment variable MY_TOKEN (auth.tokenEnv)',
    },
  ])('is refused for a line break in $field', async ({ settings, field }) => {
    const server = httpServer('http://127.0.0.1:1/', settings);
    const connecting = openConnector({ MY_TOKEN: 's3cret\n' }).connect('upstream', server, recordEvents(), patience());
    await expect(connecting).rejects.toMatchObject({
      message: `${field} holds a character that a header cannot carry, such as a line break`,
      detail: { kind: 'unreachable', sent: false },
    });
  });
});
