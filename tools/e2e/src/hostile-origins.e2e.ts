// Web pages that talk to the MCP listener on loopback: of foreign origins, of none, on every path and by every method.
import { beforeAll, describe, expect, it } from 'vitest';
import { send } from './support/client.js';
import { hello, initialized, modernRequest, startMcpHttp } from './support/mcp.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const accept = 'application/json, text/event-stream';
const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  send<Record<string, unknown>>(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  });

const page = 'https://app.example';
const foreign = [
  'https://evil.example',
  'null',
  'http://localhost.evil.example',
  'file://',
  'chrome-extension://abc',
  'NULL',
  'https://EVIL.example',
  'http://localhost.',
  'http://localhost@evil.example',
  'http://evil.example#@localhost',
  'http://evil.example\\@localhost',
  'http://localhost:80:90',
  'http://localhost:x',
  'http://[::1].evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost http://evil.example',
  'http://localhost, https://evil.example',
  'https://evil.example, http://localhost',
  'localhost',
  '',
];

describe('the MCP listener without allowedOrigins', () => {
  let upstream: Scripted;
  let url: string;
  let session: string;
  const call = modernRequest(7, 'tools/call', { name: 'u__echo', arguments: {} });

  beforeAll(async () => {
    upstream = scripted({ tools: [tool('echo')] });
    ({ url } = await startMcpHttp({ mcpServers: { u: upstream.server }, mcpExposure: 'native' }));
    const opened = await post(url, hello(1));
    session = String(opened.headers['mcp-session-id']);
    await post(url, initialized, { 'mcp-session-id': session });
    await eventually(async () => expect((await post(url, call.body, call.headers)).body).toHaveProperty('result'));
  });

  const paths = ['/mcp', '/'];
  const cases = paths.flatMap((path) => foreign.map((origin) => [path, origin] as const));
  const calls = () => upstream.received('tools/call').length;

  it.each(cases)(
    'refuses a call at %s from Origin %j with 403, and the tool does not run [mcp-http-allowed-origins]',
    async (path, origin) => {
      const before = calls();
      const target = new URL(path, url).href;
      const answer = await post(target, call.body, { ...call.headers, origin });
      expect(answer.status).toBe(403);
      expect(JSON.stringify(answer.body)).toContain('allowedOrigins adds origins');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      const legacy = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'u__echo', arguments: {} } };
      expect((await post(target, legacy, { 'mcp-session-id': session, origin })).status).toBe(403);
      expect(calls()).toBe(before);
    },
  );

  it.each(cases)(
    'refuses the stream, the end of a session and the question beforehand at %s from Origin %j',
    async (path, origin) => {
      const target = new URL(path, url).href;
      const ask = async (method: string, more: Readonly<Record<string, string>> = {}) => {
        const headers = { Origin: origin, 'Mcp-Session-Id': session, Accept: 'text/event-stream', ...more };
        return (await fetch(target, { method, headers })).status;
      };
      const asking = { 'Access-Control-Request-Method': 'POST' };
      expect([await ask('GET'), await ask('DELETE'), await ask('OPTIONS', asking)]).toEqual([403, 403, 403]);
      const list = { jsonrpc: '2.0', id: 3, method: 'tools/list' };
      expect((await post(url, list, { 'mcp-session-id': session })).status).toBe(200); // the session is still there
    },
  );

  it('serves clients that send no Origin, and pages of this machine, as before [mcp-http-allowed-origins]', async () => {
    for (const headers of [{}, { origin: 'http://localhost:3000' }, { origin: new URL(url).origin }]) {
      const before = calls();
      const answer = await post(url, call.body, { ...call.headers, ...headers });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined]);
      expect(calls()).toBe(before + 1);
    }
  });
});

describe('the MCP listener with allowedOrigins', () => {
  it('serves what is listed and nothing else, null only where it is listed [mcp-http-allowed-origins]', async () => {
    const { body, headers } = modernRequest(1, 'tools/list');
    const statuses = async (allowedOrigins: readonly string[]) => {
      const { url } = await startMcpHttp({ mcpServers: {}, mcpHttpServer: { allowedOrigins } });
      const answers = [page, 'null', 'https://app.example:444', 'http://app.example'].map((origin) =>
        post(url, body, { ...headers, origin }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect(await statuses([page])).toEqual([200, 403, 403, 403]);
    expect(await statuses([page, 'null'])).toEqual([200, 200, 403, 403]);
  });
});
