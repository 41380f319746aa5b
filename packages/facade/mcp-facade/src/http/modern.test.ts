// Requests of 2026-07-28 over HTTP, rule by rule (MCP 2026-07-28, basic/transports/streamable-http and basic/versioning).
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { modern, modernRequest, startFacade } from '../testing/start-facade.js';

const region = {
  name: 'deploy',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      size: { type: 'integer', 'x-mcp-header': 'Size' },
    },
  },
};
const hang = () => new Promise<never>(() => {});
const cloud: MemoryServer = {
  definitions: { tools: [region, { name: 'wait', inputSchema: { type: 'object' } }] },
  handle: ({ params }) => (params.name === 'wait' ? hang() : { content: [] }),
};
const file = {
  capabilityAliases: {
    deploy: { target: 'cloud.deploy', passthrough: true },
    wait: { target: 'cloud.wait', passthrough: true },
  },
};
const start = (http = {}) => startFacade({ servers: { cloud }, file, http });

describe('versions', () => {
  it('server/discover returns versions, capabilities and how long that holds', async () => {
    const { ask } = await start();
    const { status, body } = await ask('server/discover');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: {
        resultType: 'complete',
        supportedVersions: [modern],
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          completions: {},
          logging: {},
        },
        ttlMs: expect.any(Number),
        cacheScope: expect.stringMatching(/^(public|private)$/),
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'portico', version: '1.2.3' } },
      },
    });
  });

  it('an unknown version is refused with those that are served', async () => {
    const { ask } = await start();
    const other = '2099-01-01';
    const { status, body } = await ask(
      'tools/list',
      {},
      {
        meta: { 'io.modelcontextprotocol/protocolVersion': other },
        headers: { 'MCP-Protocol-Version': other },
      },
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({
      id: 1,
      error: { code: -32022, data: { supported: [modern], requested: other } },
    });
  });

  it('a request without the envelope is refused', async () => {
    const { post } = await start();
    const headers = { 'MCP-Protocol-Version': modern, 'Mcp-Method': 'tools/list' };
    const { status, body } = await post({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} }, headers);
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ id: 7, error: expect.objectContaining({ code: -32602 }) }),
    ]);
  });

  it('both eras are served at once, on both paths', async () => {
    const { ask, openSession } = await start();
    const session = await openSession();
    const answers = [
      await ask('tools/list'),
      await ask('tools/list', {}, { path: '/' }),
      await session.ask('tools/list'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [first, second] = answers.map(({ body }) => body);
    expect(second).toEqual(first);
  });
});

describe('headers', () => {
  it.each([
    ['the method is missing', { 'Mcp-Method': '' }],
    ['the method is another', { 'Mcp-Method': 'tools/list' }],
    ['the name is missing', { 'Mcp-Name': '' }],
    ['the name is another', { 'Mcp-Name': 'wait' }],
    ['the name differs in case', { 'Mcp-Name': 'Deploy' }],
    ['the version is another', { 'MCP-Protocol-Version': '2025-11-25' }],
    ['an argument is another', { 'Mcp-Param-Region': 'us' }],
    ['an argument is missing', { 'Mcp-Param-Region': '' }],
    ['an argument is not encoded as it says', { 'Mcp-Param-Region': '=?base64?%%?=' }],
    ['a number is another', { 'Mcp-Param-Region': 'eu', 'Mcp-Param-Size': '4' }],
  ])('%s: 400, and no upstream is contacted', async (_what, wrong) => {
    const { post, server } = await start();
    const { body, headers } = modernRequest('tools/call', { name: 'deploy', arguments: { region: 'eu', size: 3 } }, {});
    const all = new Map(Object.entries({ ...headers, 'Mcp-Param-Region': 'eu', 'Mcp-Param-Size': '3', ...wrong }));
    const sent = Object.fromEntries([...all].filter(([, value]) => value !== ''));
    const answer = await post(body, sent);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ code: -32020 }) }),
    ]);
    expect(server('cloud').requests()).toEqual([]);
  });

  it('agree with the body: the call goes on, and numbers are compared as numbers', async () => {
    const { ask, server } = await start();
    const headers = { 'mcp-param-region': '=?base64?ZXU=?=', 'mcp-param-size': '3.0' };
    const { status } = await ask('tools/call', { name: 'deploy', arguments: { region: 'eu', size: 3 } }, { headers });
    expect(status).toBe(200);
    expect(server('cloud').requests()).toHaveLength(1);
  });
});

describe('methods', () => {
  it('an unknown one is 404 with -32601', async () => {
    const { ask } = await start();
    const { status, body } = await ask('tools/dance');
    expect([status, body]).toMatchObject([404, { id: 1, error: { code: -32601 } }]);
  });

  it.each(['ping', 'logging/setLevel', 'resources/subscribe', 'initialize'])(
    '%s is not served any more',
    async (method) => {
      const { ask } = await start();
      expect((await ask(method, method === 'initialize' ? {} : { level: 'info', uri: 'a://b' })).status).toBe(404);
    },
  );

  it('a notification is accepted without a body', async () => {
    const { post } = await start();
    const { body, headers } = modernRequest('notifications/cancelled', { requestId: 9 }, {});
    const { id: _, ...notification } = body;
    const answer = await post(notification, headers);
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it.each(['PUT', 'OPTIONS', 'HEAD'])('%s of HTTP is 405', async (method) => {
    const { send } = await start();
    const { status, headers } = await send({ method });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });

  it('session ids and event ids of the older era mean nothing to them', async () => {
    const { ask } = await start();
    const headers = { 'Last-Event-ID': '5', 'Mcp-Session-Id': 'nobody' };
    expect((await ask('tools/list', {}, { headers })).status).toBe(200);
  });
});

describe('streams', () => {
  it('closing one cancels the call, and nothing more is sent', async () => {
    const { request, server } = await start();
    const { body, headers } = modernRequest('tools/call', { name: 'wait', arguments: {} }, {});
    const gone = new AbortController();
    const asked = request({
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      signal: gone.signal,
    });
    await expect.poll(() => server('cloud').requests().length).toBe(1);
    gone.abort();
    const answer = await asked;
    expect(await answer.text()).toBe('');
    await expect.poll(() => server('cloud').cancels().length).toBe(1);
  });

  it('are the answer to every request where JSON is not preferred, and no proxy delays them', async () => {
    const { ask } = await start({ jsonResponse: false });
    const { headers, body } = await ask('tools/list');
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(body).toEqual([expect.objectContaining({ id: 1, result: expect.anything() })]);
  });
});

describe('profiles', () => {
  const profiles = { profiles: { none: { servers: [] }, cloudy: { servers: ['cloud'] } } };
  const count = (body: unknown) => (body as { result: { tools: readonly unknown[] } }).result.tools.length;

  it.each([
    ['the query', { path: '/mcp?profile=none' }],
    ['the header, which wins', { path: '/mcp?profile=cloudy', headers: { 'X-Service-Profile': 'none' } }],
  ])('one is named by %s', async (_where, more) => {
    const { ask } = await startFacade({ servers: { cloud }, file: { ...file, ...profiles } });
    expect(count((await ask('tools/list', {}, more)).body)).toBe(count((await ask('tools/list')).body) - 2);
    const called = await ask('tools/call', { name: 'wait', arguments: {} }, more);
    expect(called.body).toMatchObject({ error: { code: -32602 } });
  });

  it('one that does not exist is 404', async () => {
    const { ask, post } = await startFacade({ servers: { cloud }, file: profiles });
    expect((await ask('tools/list', {}, { path: '/mcp?profile=other' })).status).toBe(404);
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }, {}, '/mcp?profile=other');
    expect(opened.status).toBe(404);
  });

  it("a listener's own is the only one it serves", async () => {
    const { ask } = await startFacade({
      servers: { cloud },
      file: { ...file, ...profiles },
      http: { profile: 'none' },
    });
    expect((await ask('tools/call', { name: 'wait', arguments: {} })).body).toMatchObject({ error: { code: -32602 } });
    expect((await ask('tools/list', {}, { path: '/mcp?profile=none' })).status).toBe(200);
    expect((await ask('tools/list', {}, { path: '/mcp?profile=cloudy' })).status).toBe(404);
  });
});
