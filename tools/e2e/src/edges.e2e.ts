// Input of hostile or careless clients and operators: each gets a clear answer, and nothing else happens.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { runDaemon, startDaemonProcess } from './support/daemon-process.js';
import { fixture } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

/** Sends bytes as they are and gives what comes back until the other side closes. */
async function rawExchange(port: number, bytes: Buffer | string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return received;
}

const head = (line: string, ...headers: readonly string[]) =>
  [line, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join('\r\n');

describe('the edge of the service', () => {
  let daemon: Daemon;
  beforeAll(async () => {
    daemon = await startDaemon({ mcpServers: { s: fixture() } });
    await daemon.connected();
  });

  it.each([
    ['bytes that are no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['a Host that is no host', 'GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['headers without end', head('GET /healthz HTTP/1.1', `X: ${'x'.repeat(20_000)}`), 431],
    ['an expectation nobody knows', head('GET /healthz HTTP/1.1', 'Expect: wonders'), 417],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405],
  ])('answers %s with an envelope [error-always-envelope]', async (_what, bytes, status) => {
    const answer = await rawExchange(daemon.port, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('"error":{"code":"INVALID_ARGS"');
  });

  it('refuses text that is not UTF-8 rather than change it', async () => {
    const body = Buffer.concat([
      Buffer.from('{"capability_id":"s.echo","args":{"text":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}'),
    ]);
    const request = head(
      'POST /v1/tools/call HTTP/1.1',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    );
    const answer = await rawExchange(daemon.port, Buffer.concat([Buffer.from(request), body]));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('the body is not valid UTF-8');
  });

  it.each(['/v1/capabilities/search', '/v1/tools/call'])('refuses a list as the body of %s', async (path) => {
    const { status, body } = await daemon.post<Envelope>(path, []);
    expect([status, body.error]).toEqual([
      400,
      { code: 'INVALID_ARGS', message: 'the body must be a JSON object', retryable: false },
    ]);
  });
});

describe('an operator', () => {
  const config = { mcpServers: {} };

  it.each(['', 'nohost', '300.1.1.1'])('reports that %j is no address to bind to', async (address) => {
    const { code, stderr } = await runDaemon(config, { args: ['--port', '0', '--bind', address] });
    expect(code).toBe(2);
    expect(stderr).toContain('expected an IP address or localhost');
  });

  it('reports that a state directory cannot be created', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    for (const stateDir of [join(file, 'state'), '/proc/nope/state']) {
      const { code, stderr } = await runDaemon(config, { stateDir });
      expect(code).toBe(2);
      expect(stderr).toContain(`state directory ${stateDir} cannot be used`);
    }
  });

  it('may ask to stop twice: the calls that run still end well', async () => {
    const daemon = await startDaemonProcess({ mcpServers: { s: fixture() } });
    await daemon.connected();
    const call = daemon.call('s.sleep', { ms: 700 });
    await daemon.call('s.contacts'); // answered on a later request, so the sleep is on its way
    process.kill(daemon.pid, 'SIGTERM');
    process.kill(daemon.pid, 'SIGTERM');
    expect((await call).status).toBe(200);
    expect((await daemon.exited).code).toBe(0);
  });
});
