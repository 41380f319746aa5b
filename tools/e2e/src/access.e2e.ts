// Access to the daemon: every program on this machine but web pages; beyond it, holders of the token.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { runDaemon } from './support/daemon-process.js';
import { fixture } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

describe('on loopback', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    daemon = await startDaemon({ authToken: 'secret', mcpServers: { s: fixture() } });
    await daemon.connected();
  });

  it('everything answers without credentials [access-loopback-open]', async () => {
    const answers = [
      await daemon.list('capabilities'),
      await daemon.get('/v1/servers'),
      await daemon.call('s.null_call'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it.each(['evil.example', 'evil.example:9090', 'localhost.evil.example', '127.0.0.1.evil.example', '192.0.2.7'])(
    'the Host %j is answered 403 [access-host-check]',
    async (host) => {
      const { status, body } = await daemon.get<Envelope>('/v1/capabilities', { host });
      expect([status, body.ok, body.error.code]).toEqual([403, false, 'POLICY_DENIED']);
    },
  );

  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST:1234'])(
    'the Host %j is answered [access-host-check]',
    async (host) => {
      expect((await daemon.get('/v1/capabilities', { host })).status).toBe(200);
    },
  );

  it.each([
    'http://evil.example',
    'https://127.0.0.1',
    'http://localhost.evil.example',
    'http://127.0.0.1:1',
    'file://',
  ])('the foreign Origin %s is answered 403 [access-origin-foreign]', async (origin) => {
    const read = await daemon.get<Envelope>('/v1/capabilities', { origin });
    const called = await daemon.post<Envelope>(
      '/v1/tools/call',
      { capability_id: 's.null_call', args: {} },
      { origin },
    );
    expect([read, called].map(({ status, body }) => [status, body.error.code])).toEqual([
      [403, 'POLICY_DENIED'],
      [403, 'POLICY_DENIED'],
    ]);
  });

  it('the Origin null is answered 403 [access-origin-null]', async () => {
    const { status, body } = await daemon.get<Envelope>('/v1/capabilities', { origin: 'null' });
    expect([status, body.error.code]).toEqual([403, 'POLICY_DENIED']);
  });

  it("the daemon's own Origin is answered [access-origin-own]", async () => {
    for (const origin of [daemon.url, `http://localhost:${daemon.port}`]) {
      expect((await daemon.get('/v1/capabilities', { origin })).status).toBe(200);
    }
  });
});

describe('beyond loopback', () => {
  it('the daemon does not start without an authToken, and says so [access-bind-needs-token]', async () => {
    const { code, stdout, stderr } = await runDaemon(
      { mcpServers: {} },
      { args: ['--bind', '0.0.0.0', '--port', '0'] },
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('  authToken: is required to bind to 0.0.0.0, which is not loopback');
  });

  it('/v1 asks for the token, with an envelope that says how [access-token-asked] [access-401-envelope] [config-file-auth-token]', async () => {
    const config = { authToken: 'secret', mcpServers: { s: fixture() } };
    const daemon = await startDaemon(config, { bind: '0.0.0.0' });
    const wrong = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Bearer' },
      { authorization: 'Basic secret' },
    ];
    for (const headers of wrong) {
      const answer = await daemon.get<Envelope>('/v1/capabilities', headers);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="portico"');
      expect(answer.body).toEqual({
        ok: false,
        request_id: null,
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        retry: { classification: 'safe', upstream_execution_state: 'not_started' },
        data: null,
        error: { code: 'POLICY_DENIED', message: 'send the configured authToken as a bearer token', retryable: false },
      });
    }
    const authorization = 'Bearer secret';
    expect((await daemon.list('capabilities', { authorization })).status).toBe(200);
    const searched = await daemon.post('/v1/capabilities/search', {}, { authorization });
    expect(searched.status).toBe(200);
    expect((await daemon.get('/healthz')).status).toBe(200);
  });
});
