// Sessions of 2025-11-25: how they begin and end, how many there are, and what bad requests get.
import { describe, expect, it } from 'vitest';
import { legacy, startFacade } from '../testing/start-facade.js';

const git = {
  definitions: { tools: [{ name: 'push', inputSchema: { type: 'object' } }] },
  handle: () => ({ content: [] }),
};
const start = (http = {}) =>
  startFacade({
    servers: { git },
    file: { capabilityAliases: { push: { target: 'git.push', passthrough: true } } },
    http,
  });
const hello = (id = 0) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: legacy, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe('a session', () => {
  it('is begun by initialize, which advertises that the lists may change', async () => {
    const { openSession } = await start();
    const { opened } = await openSession();
    expect(opened.status).toBe(200);
    expect(opened.headers.get('content-type')).toBe('application/json');
    expect(opened.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(opened.body).toMatchObject({
      id: 0,
      result: {
        protocolVersion: legacy,
        serverInfo: { name: 'portico', version: '1.2.3' },
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true },
          prompts: { listChanged: true },
        },
      },
    });
  });

  it('answers an older revision in that revision', async () => {
    const { post } = await start();
    const { body } = await post({ ...hello(), params: { ...hello().params, protocolVersion: '2024-11-05' } });
    expect(body).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
  });

  it('is ended by DELETE, and then unknown: 404', async () => {
    const { openSession, send, post } = await start();
    const { headers } = await openSession();
    expect((await send({ method: 'DELETE', headers })).status).toBe(200);
    const { status, body } = await post(list, headers);
    expect([status, body]).toMatchObject([404, { id: 1, error: { code: -32001 } }]);
    expect((await send({ method: 'DELETE', headers })).status).toBe(404);
  });

  it('is unknown if no client began it, and no upstream receives that', async () => {
    const { post, send, server } = await start();
    const headers = { 'Mcp-Session-Id': 'nobody', 'MCP-Protocol-Version': legacy };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'push', arguments: {} } };
    expect((await post(call, headers)).status).toBe(404);
    expect((await send({ method: 'GET', headers: { ...headers, Accept: 'text/event-stream' } })).status).toBe(404);
    expect((await send({ method: 'GET', headers: { Accept: 'text/event-stream' } })).status).toBe(400);
    expect(server('git').requests()).toEqual([]);
  });

  it('takes several messages in one body, as revisions before 2025-06-18 have it', async () => {
    const { openSession, post } = await start();
    const { headers } = await openSession();
    const { body } = await post([list, { ...list, id: 2 }], headers);
    expect(body).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('answers with a stream where JSON is not preferred', async () => {
    const { openSession } = await start({ jsonResponse: false });
    const { ask } = await openSession();
    const { headers, body } = await ask('tools/list');
    expect([headers.get('content-type'), body]).toEqual(['text/event-stream', [expect.objectContaining({ id: 1 })]]);
  });
});

describe('how many there are', () => {
  it('is bounded: the one that was idle longest gives way', async () => {
    const { openSession, post } = await start({ maxSessions: 2 });
    const first = await openSession();
    const second = await openSession();
    expect((await first.ask('tools/list')).status).toBe(200);
    const third = await openSession();
    expect(third.opened.status).toBe(200);
    const statuses = [first, second, third].map(async ({ headers }) => (await post(list, headers)).status);
    expect(await Promise.all(statuses)).toEqual([200, 404, 200]);
  });

  it('is bounded: where all are in use a new one is refused', async () => {
    const { openSession, request, post } = await start({ maxSessions: 1 });
    const { headers } = await openSession();
    const stream = await request({ method: 'GET', headers: { ...headers, Accept: 'text/event-stream' } });
    const refused = await post(hello());
    expect([refused.status, refused.body]).toMatchObject([
      503,
      {
        id: 0,
        error: { message: expect.stringContaining('MCP sessions: 1 (limits.sessions: 1), and each is in use') },
      },
    ]);
    await stream.body?.cancel();
    expect((await post(hello())).status).toBe(200);
  });

  it('is closed when no client uses it', async () => {
    const { openSession, post } = await start({ sessionIdleMs: 5 });
    const { headers } = await openSession();
    await expect.poll(async () => (await post(list, headers)).status, { interval: 50 }).toBe(404);
  });
});

describe('a bad request', () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  it.each([
    ['no JSON', '{"jsonrpc":', {}, 400, -32700],
    ['nothing', '', {}, 400, -32700],
    ['nested without end', deep, {}, 400, -32700],
    ['no JSON-RPC', '{"hello":"world"}', {}, 400, -32600],
    ['a value', '7', {}, 400, -32600],
    ['more than 4 MiB', JSON.stringify({ ...list, params: { padding: 'x'.repeat(4 * 1024 * 1024) } }), {}, 413, -32000],
    ['another type', JSON.stringify(list), { 'Content-Type': 'text/plain' }, 415, -32000],
    ['no session', JSON.stringify(list), {}, 400, -32022],
  ])('%s: refused, and no upstream receives it', async (_what, body, headers, status, code) => {
    const { post, server } = await start();
    const answer = await post(body, headers);
    expect([answer.status, answer.body]).toMatchObject([status, { error: { code } }]);
    expect(server('git').requests()).toEqual([]);
  });

  it.each([
    ['without a version', {}],
    ['of a revision with sessions', { 'MCP-Protocol-Version': '2025-06-18' }],
  ])('%s that is of no session says how to begin one', async (_what, headers) => {
    const { post } = await start();
    const message =
      'the request is of no session: begin a new one with initialize, or name protocol version 2026-07-28, which needs none';
    expect((await post(list, headers)).body).toMatchObject({
      id: 1,
      error: { code: -32022, message, data: { supported: ['2026-07-28'] } },
    });
  });

  it('to an unknown path is 404', async () => {
    const { post } = await start();
    expect((await post(hello(), {}, '/other')).status).toBe(404);
  });
});
