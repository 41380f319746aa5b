// Headers for browsers in every answer: of every facade, of successes, of refusals, and of requests that were no HTTP.
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture } from './support/upstreams.js';

const expected = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

async function start() {
  const rbac = { roles: { r: { admin: true } }, tokens: [{ role: 'r', token: 't' }] };
  const daemon = await startDaemon({ mcpServers: { s: fixture() }, mcpHttpServer: { port: 0 }, rbac });
  return { daemon, mcp: daemon.mcpUrl() };
}

/** Sends bytes as they are, and reads the head of the answer. */
function raw(port: number, text: string): Promise<Readonly<Record<string, string>>> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.setEncoding('latin1').on('error', reject);
    socket.on('data', (part) => {
      received += part;
      const [head, rest] = received.split('\r\n\r\n');
      if (rest === undefined) return;
      socket.destroy();
      const lines = (head ?? '').split('\r\n').slice(1);
      resolve(
        Object.fromEntries(lines.map((line) => line.split(': ')).map(([name, value]) => [name?.toLowerCase(), value])),
      );
    });
  });
}

const wrong = [
  ['bytes that are no HTTP', 'nonsense\r\n\r\n'],
  ['no Host', 'GET /v1/capabilities HTTP/1.1\r\n\r\n'],
  ['a Host that is none', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
  ['an Expect of nothing known', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: x\r\n\r\n'],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
  ['headers without an end', `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
] as const;

describe('every answer', () => {
  it('of every face says that it is not to be framed, guessed at or kept', async () => {
    const { daemon, mcp } = await start();
    await expectAll(daemon, mcp);
    const ports = [daemon.port, Number(new URL(mcp).port)];
    for (const port of ports) {
      for (const [what, text] of wrong) {
        const headers = await raw(port, text);
        expect([what, headers]).toEqual([what, expect.objectContaining({ ...expected, 'cache-control': 'no-store' })]);
      }
    }
  });
});

async function expectAll(daemon: Daemon, mcp: string): Promise<void> {
  const authorization = 'Bearer t';
  const asked: readonly (readonly [string, RequestInit, number, string])[] = [
    [`${daemon.url}/healthz`, {}, 200, 'no-store'],
    [`${daemon.url}/v1/capabilities`, { headers: { authorization } }, 200, 'private, no-cache'],
    [`${daemon.url}/v1/capabilities`, { headers: { authorization, 'if-none-match': '*' } }, 304, 'private, no-cache'],
    [`${daemon.url}/v1/servers`, { headers: { authorization } }, 200, 'no-store'],
    [`${daemon.url}/v1/servers`, { method: 'HEAD', headers: { authorization } }, 200, 'no-store'],
    [`${daemon.url}/v1/capabilities`, {}, 401, 'no-store'],
    [`${daemon.url}/v1/capabilities`, { headers: { authorization, origin: 'null' } }, 403, 'no-store'],
    [`${daemon.url}/v1/none`, { headers: { authorization } }, 404, 'no-store'],
    [`${daemon.url}/v1/capabilities`, { method: 'DELETE', headers: { authorization } }, 405, 'no-store'],
    [`${daemon.url}/v1/tools/call`, { method: 'POST', headers: { authorization }, body: 'x' }, 415, 'no-store'],
    [`${daemon.url}/v1/audit/export`, { headers: { authorization } }, 200, 'no-store'],
    [mcp, {}, 401, 'no-store'],
    [mcp, { headers: { authorization } }, 400, 'no-store'],
    [mcp.replace('/mcp', '/none'), { headers: { authorization } }, 404, 'no-store'],
    [mcp, { method: 'PUT', headers: { authorization } }, 405, 'no-store'],
  ];
  for (const [url, init, status, cacheControl] of asked) {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    expect([url, response.status, Object.fromEntries(response.headers)]).toEqual([
      url,
      status,
      expect.objectContaining({ ...expected, 'cache-control': cacheControl }),
    ]);
  }
}
