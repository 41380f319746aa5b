// Servers whose configuration names secrets by URI: secrets are looked up at each connect, handed to the server, and
// shown nowhere.
import type { LookUpSecret } from '@portico/contracts';
import { afterEach, expect, test } from 'vitest';
import { createMcpConnector } from '../connector.js';
import {
  call,
  cleanUp,
  clientInfo,
  fixture,
  httpServer,
  node,
  onCleanup,
  patience,
  recordEvents,
  startHttpFixture,
  stdioServer,
  waitUntil,
} from '../testing/kit.js';
import { createKnownSecrets } from './known-secrets.js';

afterEach(cleanUp);

const canary = 'canary-1b6f"\\0d';

function open(lookUpSecret?: LookUpSecret) {
  const logged: string[] = [];
  const knownSecrets = createKnownSecrets();
  const connector = createMcpConnector({
    clientInfo,
    env: process.env,
    knownSecrets,
    ...(lookUpSecret === undefined ? {} : { lookUpSecret }),
    log: (...line) => logged.push(JSON.stringify(line)),
  });
  onCleanup(connector.close);
  return { connector, logged, knownSecrets };
}

const finding =
  (values: Readonly<Record<string, string>>): LookUpSecret =>
  async (uri) =>
    values[uri] === undefined ? { kind: 'missing', reason: 'is not there' } : { kind: 'found', value: values[uri] };

test('a child gets the secret; what it says of it is masked', async () => {
  const script = `console.error('I got ' + process.env.KEY + ' and ' + process.env.PLAIN); process.exit(1)`;
  const server = stdioServer(node, ['-e', script], { KEY: 'op://vault/item/key', PLAIN: 'https://not.a/secret' });
  const events = recordEvents();
  const { connector } = open(finding({ 'op://vault/item/key': canary }));
  await expect(connector.connect('s', server, events, patience())).rejects.toThrow('the process exited with code 1');
  await waitUntil(() => events.logs.length > 0, 'the child has written');
  expect([...new Set(events.logs)]).toEqual(['I got [REDACTED] and https://not.a/secret']);
  expect(server.transport).toMatchObject({ env: { KEY: 'op://vault/item/key' } });
});

test('is looked up at each connect, so that a rotated secret is found', async () => {
  const { origin } = await startHttpFixture();
  let token = 'first-token';
  const { connector, knownSecrets } = open(async () => ({ kind: 'found', value: token }));
  const server = httpServer(`${origin}/mcp`, {
    headers: { 'X-Key': 'keychain://service/account' },
    auth: { type: 'bearer', token: 'env://TOKEN' },
    protocolVersion: '2025-11-25',
  });
  const seen = async () => {
    const session = await connector.connect('s', server, recordEvents(), patience());
    const { structuredContent } = (await call(session, 'whoami')) as { structuredContent?: { headers: object } };
    await session.close();
    return structuredContent?.headers;
  };
  expect(await seen()).toMatchObject({ 'x-key': 'first-token', authorization: 'Bearer first-token' });
  token = 'second-token';
  expect(await seen()).toMatchObject({ 'x-key': 'second-token', authorization: 'Bearer second-token' });
  expect(knownSecrets.mask('first-token second-token')).toBe('[REDACTED] [REDACTED]');
});

test.each([
  [fixture(), 'env.API_KEY', 'op'],
  [httpServer('http://127.0.0.1:1/', { headers: { 'X-Key': 'keychain://a/b' } }), 'headers.X-Key', 'keychain'],
  [httpServer('http://127.0.0.1:1/', { auth: { type: 'bearer', token: 'env://T' } }), 'auth.token', 'env'],
])('that cannot be had keeps its server from being connected (%#)', async (given, field, scheme) => {
  const { transport } = given;
  const server = {
    ...given,
    transport: transport.kind === 'stdio' ? { ...transport, env: { API_KEY: 'op://vault/item/key' } } : transport,
  };
  for (const { connector, reason } of [
    { ...open(finding({})), reason: 'is not there' },
    { ...open(), reason: 'cannot be looked up here' },
    { ...open(async () => ({ kind: 'found', value: 'a\0b' })), reason: 'holds a NUL character' },
  ]) {
    await expect(connector.connect('s', server, recordEvents(), patience())).rejects.toMatchObject({
      message: `${field}: the ${scheme}:// secret ${reason}`,
      detail: { kind: 'unreachable', sent: false },
    });
  }
});

test('is not waited for any longer when connecting is aborted', async () => {
  const aborting = new AbortController();
  const waiting: LookUpSecret = (_uri, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const server = stdioServer(node, [], { KEY: 'op://vault/item/key' });
  const connecting = open(waiting).connector.connect('s', server, recordEvents(), aborting.signal);
  aborting.abort(new Error('no time left'));
  await expect(connecting).rejects.toMatchObject({
    message: 'gave up connecting: no time left',
    detail: { kind: 'unreachable', sent: false },
  });
});

test('is refused where the name of a variable belongs', async () => {
  const auth = { type: 'basic', username: 'u', passwordEnv: 'op://vault/item/key' } as const;
  const server = httpServer('http://127.0.0.1:1/', { auth });
  await expect(open(finding({})).connector.connect('s', server, recordEvents(), patience())).rejects.toThrow(
    'auth.passwordEnv names an environment variable; the op:// secret belongs into auth.password',
  );
});

test('is in no error of the server that got it, nor in its log messages', async () => {
  const script = `
    const key = process.env.KEY;
    const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
      if (method === 'initialize') return send({ id, result });
      if (method === 'tools/call') {
        send({ method: 'notifications/message', params: { level: 'error', data: { key } } });
        return send({ id, error: { code: -32000, message: 'no: ' + key, data: { nested: [key] } } });
      }
      if (id !== undefined) send({ id, error: { code: -32601, message: 'no such method' } });
    });`;
  const events = recordEvents();
  const { connector, logged } = open(finding({ 'env://KEY': canary }));
  const server = stdioServer(node, ['-e', script], { KEY: 'env://KEY' });
  const session = await connector.connect('s', server, events, patience());
  onCleanup(session.close);
  await expect(call(session, 'any')).rejects.toMatchObject({
    message: 'no: [REDACTED]',
    detail: { error: { code: -32000, message: 'no: [REDACTED]', data: { nested: ['[REDACTED]'] } } },
  });
  await waitUntil(() => events.messages.length > 0, 'the log message has come');
  const shown = JSON.stringify([events.logs, events.messages, logged]);
  expect(shown).toContain('[REDACTED]');
  expect(shown).not.toContain('canary');
});
