// The MCP HTTP listener: of the daemon and as a process of its own, its settings, access, and bad requests.
import { beforeAll, describe, expect, it } from 'vitest';
import { send } from './support/client.js';
import { startDaemon } from './support/daemon.js';
import { runDaemon, startDaemonProcess } from './support/daemon-process.js';
import {
  argsOf,
  connectClient,
  hello,
  mcpHttpMain,
  modernRequest,
  placeOf,
  run,
  startMcpHttp,
  startMcpHttpProcess,
} from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const accept = 'application/json, text/event-stream';
const json = { 'content-type': 'application/json', accept };
const post = <T = Record<string, unknown>>(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) =>
  send<T>(url, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

function upstreamConfig() {
  const upstream = scripted({ tools: [tool('echo'), tool('slow'), tool('never')] });
  const passthrough = (name: string) => ({ target: `s.${name}`, passthrough: true });
  const capabilityAliases = { echo: passthrough('echo'), slow: passthrough('slow'), never: passthrough('never') };
  return { upstream, config: { mcpServers: { s: upstream.server }, capabilityAliases } };
}

const namesOf = ({ body }: { readonly body: Record<string, unknown> }) =>
  (body.result as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);

describe('the listener of the daemon', () => {
  it('serves what the daemon serves, on the same state [mcp-http-server] [config-file-mcp-http-server]', async () => {
    const { upstream, config } = upstreamConfig();
    const daemon = await startDaemon({ ...config, mcpHttpServer: { port: 0 } });
    await daemon.connected();
    const url = daemon.mcpUrl();
    const { body, headers } = modernRequest(1, 'tools/call', {
      name: 'capability_call',
      arguments: { capability_id: 's.echo', args: { n: 1 }, idempotency_key: 'shared' },
    });
    const first = await post<{ result: { structuredContent: object } }>(url, body, headers);
    expect(first.body.result.structuredContent).toMatchObject({ ok: true });
    const again = await daemon.post(
      '/v1/tools/call',
      { capability_id: 's.echo', args: { n: 1 } },
      { 'idempotency-key': 'shared' },
    );
    expect([again.headers['x-service-deduplicated'], again.body]).toEqual([
      'true',
      first.body.result.structuredContent,
    ]);
    expect(upstream.received('tools/call')).toHaveLength(1);
    const events = await daemon.get<{ events: readonly object[] }>('/v1/audit/events?event_type=tool_call');
    expect(events.body.events).toMatchObject([{ capability_id: 's.echo', idempotency_key: 'shared' }]);
  });

  it('is there only where the configuration has the block', async () => {
    const daemon = await startDaemon({ mcpServers: {}, mcpHttpServer: null });
    expect(daemon.mcpUrl).toThrow('no MCP listener');
  });

  it('ends with the daemon, in order, and leaves nothing running', async () => {
    const { upstream, config } = upstreamConfig();
    const daemon = await startDaemonProcess({ ...config, mcpHttpServer: { port: 0 } });
    const line = await eventually(() => {
      const found = /^portico mcp listening on (http:\/\/127\.0\.0\.1:\d+\/mcp)$/m.exec(daemon.stdout());
      expect(found).not.toBeNull();
      return found;
    });
    const url = line?.[1] ?? '';
    await daemon.connected();
    const client = await connectClient('auto', { kind: 'http', url });
    const called = client.request('tools/call', { name: 'slow', arguments: { ms: 300 } });
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    const { code, stderr } = await daemon.stop();
    expect([code, stderr.includes('defect')]).toEqual([0, false]);
    expect(await called).toMatchObject({ content: [{ text: 'slow' }] });
  });
});

const listRequest = modernRequest(1, 'tools/list');
const listTools = [listRequest.body, listRequest.headers] as const;

const allowedHosts = ['mcp.example'];
const allowedOrigins = ['https://app.example'];
/** Listeners without servers, by their settings: for tests that only ask. */
const listeners = new Map<string, string>();
const listenerOf = (mcpHttpServer: object = {}) => listeners.get(JSON.stringify(mcpHttpServer)) ?? '';

beforeAll(async () => {
  for (const mcpHttpServer of [{}, { allowedHosts }, { allowedOrigins }]) {
    const { url } = await startMcpHttp({ mcpServers: {}, mcpHttpServer });
    listeners.set(JSON.stringify(mcpHttpServer), url);
  }
});

describe('the address', () => {
  it('is 127.0.0.1 port 9191 without any setting, or that port is taken [mcp-http-port] [mcp-http-bind]', async () => {
    const started = startMcpHttp({ mcpServers: {} }, { port: null });
    expect(await started.then(({ url }) => url, String)).toMatch(
      /^(http:\/\/127\.0\.0\.1:9191\/mcp|\w*Error: (the listener ended with 2 before it was ready: )?port 9191 of 127\.0\.0\.1 is in use; choose another with --port N\n?)$/,
    );
  });

  it('that is taken ends the start with 2 [mcp-http-port]', async () => {
    const taken = new URL(listenerOf()).port;
    const running = run(mcpHttpMain, [...argsOf(placeOf({ mcpServers: {} })), '--port', taken]);
    expect([await running.exited, running.stdout()]).toEqual([2, '']);
    const [warning = '', ...rest] = running.stderr().split('\n');
    expect(JSON.parse(warning)).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('audit log is in memory'),
    });
    expect(rest).toEqual([`port ${taken} of 127.0.0.1 is in use; choose another with --port N`, '']);
  });

  it('beyond loopback needs an authToken [mcp-http-bind-needs-auth]', async () => {
    const listener = { port: 0, bind: '0.0.0.0' };
    const own = run(mcpHttpMain, [...argsOf(placeOf({ mcpServers: {} })), '--port', '0', '--bind', '0.0.0.0']);
    const refused = await runDaemon({ mcpServers: {}, mcpHttpServer: listener });
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('authToken: is required to bind to 0.0.0.0, which is not loopback');
    expect(refused.stderr).toContain('or have mcpHttpServer.bind name a loopback address');
    expect(await own.exited).toBe(2);
    expect(own.stderr()).toContain('or have --bind name a loopback address');
    const { url } = await startMcpHttp({ mcpServers: {}, authToken: 'secret' }, { bind: '0.0.0.0' });
    const local = url.replace('0.0.0.0', '127.0.0.1');
    expect((await post(local, ...listTools)).status).toBe(401);
  });

  it.each([
    ['a flag', {}, ['--sideways'], 'unknown option'],
    ['a profile', {}, ['--profile', 'gone'], 'profiles: no profile "gone"'],
    ['a block', { mcpHttpServer: { port: 'x' } }, [], 'mcpHttpServer.port: expected'],
  ])('%s that cannot be used ends the start with 2', async (_what, config, args, message) => {
    const running = run(mcpHttpMain, [...argsOf(placeOf({ mcpServers: {}, ...config })), '--port', '0', ...args]);
    expect([await running.exited, running.stdout()]).toEqual([2, '']);
    expect(running.stderr()).toContain(message);
  });

  it('ends with 0 on SIGTERM', async () => {
    const { child, exited } = await startMcpHttpProcess(upstreamConfig().config);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});

describe('the endpoint', () => {
  it('is /mcp and / alike [mcp-http-second-path] [mcp-http-json-rpc]', async () => {
    const url = listenerOf();
    const answers = await Promise.all([url, url.replace(/mcp$/, '')].map((path) => post(path, ...listTools)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
  });

  it('advertises that its lists change [mcp-list-changed-advertised]', async () => {
    const url = listenerOf();
    const { body } = await post(url, hello(1));
    const changing = { listChanged: true };
    expect(body).toMatchObject({
      result: { capabilities: { tools: changing, resources: changing, prompts: changing } },
    });
  });

  it('answers with JSON, or with streams where that is set [mcp-http-json-response]', async () => {
    const types = async (url: string) => {
      const answers = [await post(url, ...listTools), await post(url, hello(1))];
      return answers.map(({ headers }) => headers['content-type']?.split(';')[0]);
    };
    expect(await types(listenerOf())).toEqual(['application/json', 'application/json']);
    const { url: streaming } = await startMcpHttp({ mcpServers: {}, mcpHttpServer: { jsonResponse: false } });
    expect(await types(streaming)).toEqual(['text/event-stream', 'text/event-stream']);
  });

  it('falls back to a stream where something has to be streamed, and pings on it [mcp-http-json-response] [mcp-http-keep-alive]', async () => {
    const { config } = upstreamConfig();
    const call = { name: 'slow', arguments: { ms: 400 } };
    const asked = modernRequest(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const read = async (mcpHttpServer: object, awaited = /acknowledged/) => {
      const { url } = await startMcpHttp({ ...config, mcpHttpServer });
      await eventually(async () => expect(namesOf(await post(url, ...listTools))).toContain('slow'));
      const gone = new AbortController();
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...json, ...asked.headers },
        body: JSON.stringify(asked.body),
        signal: gone.signal,
      });
      const reader = response.body?.getReader();
      let text = '';
      const reading = (async () => {
        for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
          text += new TextDecoder().decode(part.value);
        }
      })().catch(() => {});
      const slow = modernRequest(2, 'tools/call', call);
      await post(url, slow.body, slow.headers);
      await eventually(() => expect(text).toMatch(awaited));
      gone.abort();
      await reading;
      return { type: response.headers.get('content-type'), text };
    };
    const pinging = await read({ sseKeepAliveMs: 50 }, /(: keepalive\n\n){2}/);
    expect(pinging.type).toBe('text/event-stream');
    expect(pinging.text).toMatch(/^event: message\ndata: .*acknowledged/);
    expect(pinging.text).toMatch(/(: keepalive\n\n){2}/);
    expect((await read({ sseKeepAliveMs: null })).text).not.toContain('keepalive');
  });

  it('serves one profile where that is set [mcp-http-profile]', async () => {
    const { config } = upstreamConfig();
    const profiles = { none: { servers: [] } };
    const { url } = await startMcpHttp({ ...config, profiles, mcpHttpServer: { profile: 'none' } });
    const { url: whole } = await startMcpHttp({ ...config, profiles });
    await eventually(async () => expect(namesOf(await post(whole, ...listTools))).toContain('echo'));
    expect(namesOf(await post(url, ...listTools))).not.toContain('echo');
    const named = await post(`${whole}?profile=none`, ...listTools);
    expect(namesOf(named)).not.toContain('echo');
  });
});

describe('access', () => {
  it.each([
    ['localhost', {}, 200],
    ['evil.example', {}, 403],
    ['mcp.example', {}, 403],
    ['mcp.example', { allowedHosts }, 200],
    ['127.0.0.1', { allowedHosts }, 200],
  ])('Host %s with %j: %i [mcp-http-allowed-hosts]', async (host, mcpHttpServer, status) => {
    const url = listenerOf(mcpHttpServer);
    expect((await post(url, listTools[0], { ...listTools[1], host })).status).toBe(status);
  });

  it.each([
    ['http://localhost:3000', {}, 200],
    ['https://evil.example', {}, 403],
    ['null', {}, 403],
    ['null', { allowedOrigins }, 403],
    ['http://localhost:3000', { allowedOrigins }, 200],
    ['https://app.example', { allowedOrigins }, 200],
    ['https://evil.example', { allowedOrigins }, 403],
  ])('Origin %s with %j: %i [mcp-http-allowed-origins]', async (origin, mcpHttpServer, status) => {
    const url = listenerOf(mcpHttpServer);
    expect((await post(url, listTools[0], { ...listTools[1], origin })).status).toBe(status);
  });

  it.each([
    ['none', {}, 401],
    ['another', { authorization: 'Bearer other' }, 401],
    ['the token', { authorization: 'Bearer secret' }, 200],
  ])('with %s: %i [mcp-http-bearer]', async (_what, headers, status) => {
    const { url } = await startMcpHttp({ mcpServers: {}, authToken: 'secret' });
    const answer = await post(url, listTools[0], { ...listTools[1], ...headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer realm="portico"' : undefined);
  });

  it('a Portico that has the token in the bearer auth of its server entry [mcp-http-own-client]', async () => {
    const { config } = upstreamConfig();
    const { url } = await startMcpHttp({ ...config, authToken: 'secret' });
    const inner = (token: string) => ({ url, auth: { type: 'bearer', token } });
    const outer = await startDaemon({ mcpServers: { inner: inner('secret'), kept_out: inner('wrong') } });
    await outer.connected('inner');
    const called = await outer.call('inner.capability_search', { query: 'echo' });
    expect(called.body.data).toMatchObject({ structuredContent: { version: 'v1' } });
    await eventually(async () => expect((await outer.server('kept_out')).status).toBe('degraded'));
  });
});

describe('a bad request', () => {
  const call = modernRequest(1, 'tools/call', { name: 'echo', arguments: {} });
  const legacyCall = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } };
  const large = JSON.stringify({ ...legacyCall, params: { padding: 'x'.repeat(4 * 1024 * 1024) } });
  const requests: readonly (readonly [string, string, Readonly<Record<string, string>>, number, number])[] = [
    ['no JSON', '{"jsonrpc":', {}, 400, -32700],
    ['no JSON-RPC', '{"hello":"world"}', {}, 400, -32600],
    ['no session', JSON.stringify(legacyCall), {}, 400, -32022],
    ['an unknown session', JSON.stringify(legacyCall), { 'mcp-session-id': 'nobody' }, 404, -32001],
    ['too large, of unknown length', large, { 'transfer-encoding': 'chunked' }, 413, -32000],
    ['another type', JSON.stringify(call.body), { ...call.headers, 'content-type': 'text/plain' }, 415, -32000],
    [
      'another method in the header',
      JSON.stringify(call.body),
      { ...call.headers, 'mcp-method': 'tools/list' },
      400,
      -32020,
    ],
    ['another name in the header', JSON.stringify(call.body), { ...call.headers, 'mcp-name': 'slow' }, 400, -32020],
    [
      'another version in the header',
      JSON.stringify(call.body),
      { ...call.headers, 'mcp-protocol-version': '2025-11-25' },
      400,
      -32020,
    ],
  ];

  it('is refused with a JSON-RPC error, and no server is contacted', async () => {
    const { upstream, config } = upstreamConfig();
    const { url } = await startMcpHttp(config);
    await eventually(async () => expect(namesOf(await post(url, ...listTools))).toContain('echo'));
    const contacts = upstream.received().length;
    for (const [what, body, headers, status, code] of requests) {
      const answer = await post(url, body, headers);
      expect([what, answer.status, answer.body]).toEqual([
        what,
        status,
        expect.objectContaining({ jsonrpc: '2.0', error: expect.objectContaining({ code }) }),
      ]);
      if (status === 413) expect(answer.headers.connection).toBe('close'); // the rest of it is unknown
    }
    // By fetch, which reads an answer that comes before it has written all of a body of known length.
    const refused = await fetch(url, { method: 'POST', headers: json, body: large });
    expect([refused.status, await refused.json()]).toMatchObject([413, { error: { code: -32000 } }]);
    expect(upstream.received()).toHaveLength(contacts);
    expect((await post(url, call.body, call.headers)).status).toBe(200);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('that is no HTTP gets a JSON-RPC error as well', async () => {
    const url = listenerOf();
    const answer = await send<object>(url, { method: 'POST', headers: { ...json, host: 'a b' }, body: '{}' });
    expect([answer.status, answer.body]).toMatchObject([400, { jsonrpc: '2.0', error: { code: -32000 } }]);
  });
});

describe('a call that is given up', () => {
  it('by closing its stream is cancelled at the server', async () => {
    const { upstream, config } = upstreamConfig();
    const { url } = await startMcpHttp(config);
    await eventually(async () => expect(namesOf(await post(url, ...listTools))).toContain('never'));
    const { body, headers } = modernRequest(1, 'tools/call', { name: 'never', arguments: {} });
    const gone = new AbortController();
    const asked = send(url, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
      signal: gone.signal,
    }).catch(() => {});
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    gone.abort();
    await asked;
    await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
  });
});
