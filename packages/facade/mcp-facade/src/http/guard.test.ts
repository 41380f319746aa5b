// Access to the listener: one row for each kind of Host, Origin and token, and the log line of a refusal.
import { describe, expect, it } from 'vitest';
import { startFacade } from '../testing/start-facade.js';
import { refusePlace } from './guard.js';
import type { McpHttpOptions } from './options.js';

const options: McpHttpOptions = {
  bind: '127.0.0.1',
  authenticate: () => Promise.reject(new Error('nobody is asked')),
  jwt: () => null,
  profile: null,
  allowedHosts: ['mcp.example', 'portico.example:8443'],
  allowedOrigins: ['https://app.example'],
  sseKeepAliveMs: null,
  jsonResponse: true,
};
const host = 'localhost:9191';
const statusOf = (headers: Record<string, string>, more: Partial<McpHttpOptions> = {}) =>
  refusePlace({ ...options, ...more }, new Headers(headers))?.status;

describe('hosts', () => {
  it.each([
    ['127.0.0.1:9191', undefined],
    ['localhost', undefined],
    ['[::1]:9191', undefined],
    ['mcp.example', undefined],
    ['MCP.example:1234', undefined],
    ['portico.example:8443', undefined],
    ['portico.example:8444', 403],
    ['evil.example', 403],
    ['mcp.example.evil.example', 403],
    ['mcp.example@evil.example', 403],
    ['192.168.0.7:9191', 403],
  ])('%s is answered %s', (value, expected) => {
    expect(statusOf({ host: value })).toBe(expected);
  });

  it('a request without one is refused', () => {
    expect(statusOf({})).toBe(403);
  });
});

describe('origins', () => {
  it.each([
    [undefined, undefined],
    ['http://localhost:3000', undefined],
    ['https://127.0.0.1', undefined],
    ['http://[::1]:9191', undefined],
    ['https://app.example', undefined],
    ['http://app.example', 403],
    ['https://app.example:444', 403],
    ['https://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['null', 403],
    ['file://', 403],
  ])('%s is answered %s', (origin, expected) => {
    expect(statusOf({ host, ...(origin === undefined ? {} : { origin }) })).toBe(expected);
  });

  it.each([
    'https://evil.example',
    'null',
    'HTTPS://EVIL.EXAMPLE',
    '',
    'http://localhost.evil.example',
    'http://a@localhost',
  ])('%j is refused without a list', (origin) => {
    expect(statusOf({ host, origin }, { allowedOrigins: [] })).toBe(403);
  });

  it('null passes where it is listed, and pages of this machine pass without a list', () => {
    expect(statusOf({ host, origin: 'null' }, { allowedOrigins: ['null'] })).toBeUndefined();
    expect(statusOf({ host, origin: 'http://localhost:3000' }, { allowedOrigins: [] })).toBeUndefined();
    expect(statusOf({ host }, { allowedOrigins: [] })).toBeUndefined();
  });
});

describe('a token', () => {
  const withToken = { authToken: 's3cret' };

  it.each([
    ['Bearer s3cret', 200],
    ['bearer s3cret', 200],
    ['Bearer s3cret2', 401],
    ['Basic s3cret', 401],
    ['', 401],
  ])('%j is answered %s', async (authorization, expected) => {
    const { ask } = await startFacade({ http: withToken });
    expect((await ask('tools/list', {}, { headers: { authorization } })).status).toBe(expected);
  });

  it('is asked for with a challenge, and its absence is recorded', async () => {
    const { ask, plane } = await startFacade({ http: withToken });
    const { status, headers, body } = await ask('tools/list');
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="portico"']);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'send the configured authToken as a bearer token' },
    });
    const { events } = await plane.audit.list({}, { limit: 10, offset: 0 });
    expect(events).toMatchObject([{ event_type: 'auth_failure', status: 'denied' }]);
    expect((await ask('tools/list', {}, { headers: { Authorization: 'Bearer s3cret' } })).status).toBe(200);
  });
});

describe('a page', () => {
  const page = 'https://app.example';
  const http = { allowedOrigins: [page], authToken: 's3cret' };
  const asking = {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization, mcp-method',
  };

  it('of a listed origin may ask beforehand, without the token, and read the answer', async () => {
    const { send, ask } = await startFacade({ http });
    const { status, headers } = await send({ method: 'OPTIONS', headers: { Origin: page, ...asking } });
    expect([status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')]).toEqual([
      204,
      page,
      'authorization, mcp-method',
    ]);
    const refused = await ask('tools/list', {}, { headers: { Origin: page } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, page]);
    const answer = await ask('tools/list', {}, { headers: { Origin: page, Authorization: 'Bearer s3cret' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
  });

  it.each(['http://localhost:3000', 'https://evil.example'])('of %s may not, nor without a list', async (origin) => {
    for (const allowedOrigins of [[page], []]) {
      const { send } = await startFacade({ http: { allowedOrigins } });
      const { status, headers } = await send({ method: 'OPTIONS', headers: { Origin: origin, ...asking } });
      expect([status >= 400, headers.get('access-control-allow-origin')]).toEqual([true, null]);
    }
  });

  it('that rebinds its name to this service gets nothing', async () => {
    const { send } = await startFacade({ http });
    const { status } = await send({ method: 'OPTIONS', headers: { Host: 'app.example', Origin: page, ...asking } });
    expect(status).toBe(403);
  });
});
