// Secrets that the configuration names by URI: where they come from, when they are looked up, and that they appear
// nowhere.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { noKeyring, stubbedKeyring, stubOp } from './support/secrets.js';
import { fixture, startHttpFixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const canary = 'canary-5d1c"7e\\90';

/** A server whose one tool fails with what the server was given. */
const tellingServer = `
  const key = process.env.API_KEY;
  const results = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
    'tools/list': { tools: [{ name: 'refuse', inputSchema: { type: 'object' } }] },
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const answer = results[method]
      ? { result: results[method] }
      : { error: { code: -32000, message: 'not with ' + key, data: { key } } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });`;

/** Values that a server received: its environment, and the headers of the call. */
async function given(daemon: Daemon, id = 's') {
  const { structuredContent } = (await daemon.call(`${id}.whoami`)).body.data;
  return structuredContent as { readonly env: Record<string, string>; readonly headers: Record<string, string> };
}

const withEnv = (env: object) => ({ mcpServers: { s: { ...fixture(), env } } });

async function killChild(daemon: Daemon, id = 's'): Promise<void> {
  const { pid = 0 } = await daemon.server(id);
  process.kill(pid, 'SIGKILL');
  await eventually(async () => {
    const now = await daemon.server(id);
    expect([now.status, now.pid === pid]).toEqual(['connected', false]);
  });
}

describe('a secret URI', () => {
  it("env:// is a variable of the daemon's environment [config-file-secret-env]", async () => {
    const env = { API_KEY: 'env://PORTICO_TEST_KEY', PLAIN: 'not env://PORTICO_TEST_KEY' };
    const daemon = await startDaemon(withEnv(env), { env: { PORTICO_TEST_KEY: canary } });
    await daemon.connected();
    const seen = (await given(daemon)).env;
    expect(seen).toMatchObject({ API_KEY: canary, PLAIN: 'not env://PORTICO_TEST_KEY' });
    expect(seen).not.toHaveProperty('PORTICO_TEST_KEY');
  });

  it('op:// is read through the command line of the password manager [config-file-secret-op]', async () => {
    const op = stubOp(canary);
    const daemon = await startDaemon(withEnv({ API_KEY: 'op://Private/tracker/credential' }), { env: op.env });
    await daemon.connected();
    expect((await given(daemon)).env.API_KEY).toBe(canary);
    expect(op.runs()).toEqual(['read op://Private/tracker/credential']);
  });

  it('keychain:// is read from the keyring [config-file-secret-keychain]', async () => {
    const keyring = stubbedKeyring({ 'tracker|ann@example.com': canary });
    const daemon = await startDaemonProcess(withEnv({ API_KEY: 'keychain://tracker/ann@example.com' }), {
      env: keyring.env,
    });
    await daemon.connected();
    expect((await given(daemon)).env.API_KEY).toBe(canary);
  });

  it('works in the headers and the auth of a server over HTTP', async () => {
    const { origin } = await startHttpFixture();
    const url = `${origin}/mcp`;
    const op = stubOp('from-op');
    const basic = { type: 'basic', username: 'ann', password: 'env://PORTICO_TEST_KEY' };
    const mcpServers = {
      s: { url, headers: { 'X-Key': 'op://a/b/c' }, auth: { type: 'bearer', token: 'env://PORTICO_TEST_KEY' } },
      t: { url, auth: basic },
    };
    const daemon = await startDaemon({ mcpServers }, { env: { ...op.env, PORTICO_TEST_KEY: 'from-env' } });
    await daemon.connected();
    expect((await given(daemon)).headers).toMatchObject({ 'x-key': 'from-op', authorization: 'Bearer from-env' });
    expect((await given(daemon, 't')).headers).toMatchObject({ authorization: `Basic ${btoa('ann:from-env')}` });
  });

  it('is looked up whenever its server is connected, so that a rotated secret is used', async () => {
    const op = stubOp('first-secret');
    const daemon = await startDaemon(withEnv({ API_KEY: 'op://a/b/c' }), { env: op.env });
    await daemon.connected();
    op.answer('second-secret');
    expect((await given(daemon)).env.API_KEY).toBe('first-secret');
    await killChild(daemon);
    expect((await given(daemon)).env.API_KEY).toBe('second-secret');
  });

  it('that cannot be looked up degrades its server alone, which is tried again on its schedule', async () => {
    const op = stubOp();
    const mcpServers = {
      ...withEnv({ API_KEY: 'op://Private/tracker/credential' }).mcpServers,
      unset: { ...fixture(), env: { TOKEN: 'env://PORTICO_TEST_UNSET' } },
      other: fixture(),
    };
    const daemon = await startDaemon({ mcpServers }, { env: op.env });
    await daemon.connected('other');
    const reason =
      'env.API_KEY: the op:// secret cannot be read: op ended with code 1; run "op read" with this URI to see why';
    await eventually(async () => {
      const [failed, unset] = [await daemon.server('s'), await daemon.server('unset')];
      expect([failed.status, failed.last_error]).toEqual(['degraded', reason]);
      const [status, why] = ['degraded', 'env.TOKEN: the env:// secret names an environment variable that is not set'];
      expect([unset.status, unset.last_error]).toEqual([status, why]);
    });
    op.answer(canary);
    await daemon.connected('s');
    expect((await given(daemon)).env.API_KEY).toBe(canary);
    expect(daemon.logText()).not.toContain('Private/tracker');
  });

  it('of a machine without a keyring says so, and everything else runs', async () => {
    const mcpServers = { ...withEnv({ API_KEY: 'keychain://a/b' }).mcpServers, other: fixture() };
    const daemon = await startDaemonProcess({ mcpServers }, { env: noKeyring });
    await daemon.connected('other');
    const { last_error } = await eventually(async () => {
      const failed = await daemon.server('s');
      expect(failed.status).toBe('degraded');
      return failed;
    });
    // Where a keyring is found by other means than the session of Linux, it does not have the entry.
    const expected = process.platform === 'linux' ? 'cannot be read: no keyring answers; start one' : 'keyring';
    expect(last_error).toMatch(new RegExp(`^env.API_KEY: the keychain:// secret .*${expected}`));
  });
});

describe('a secret that is in use', () => {
  it('is in no log line, no answer about the server, no error and no record, though its server returns it', async () => {
    const stateDir = tempFolder();
    const { command, args } = fixture();
    const noisy = {
      command: '/bin/sh',
      args: ['-c', 'echo "my key is $API_KEY" >&2; exec "$0" "$@"', command, ...args],
      env: { API_KEY: 'op://a/b/c' },
    };
    const dying = {
      command: process.execPath,
      args: ['-e', 'console.error(JSON.stringify(process.env)); process.exitCode = 1'],
      env: { API_KEY: 'env://PORTICO_TEST_KEY' },
    };
    const refusing = {
      command: process.execPath,
      args: ['-e', tellingServer],
      env: { API_KEY: 'env://PORTICO_TEST_KEY' },
    };
    const env = { ...stubOp(canary).env, PORTICO_TEST_KEY: `other-${canary}` };
    const options = { env, stateDir, logLevel: 'debug' } as const;
    const daemon = await startDaemonProcess({ mcpServers: { noisy, dying, refusing } }, options);
    await daemon.connected('noisy', 'refusing');
    expect((await given(daemon, 'noisy')).env.API_KEY).toBe(canary);
    const refused = await daemon.call('refusing.refuse');
    expect(refused.body.error?.message).toContain('not with [REDACTED]');
    const paths = ['/v1/servers', '/v1/servers/noisy/logs', '/v1/servers/dying/logs', '/v1/audit/export', '/metrics'];
    const shown = await eventually(async () => {
      const texts = await Promise.all(paths.map(async (path) => (await daemon.get(path)).text));
      const all = [...texts, refused.text, daemon.logText()].join('\n');
      expect(all).toContain('my key is [REDACTED]');
      expect(all).toContain('API_KEY');
      return all;
    });
    const { stderr } = await daemon.stop();
    const files = readdirSync(stateDir).map((name) => readFileSync(join(stateDir, name), 'latin1'));
    const everything = [shown, stderr, ...files].join('\n');
    expect(everything).not.toContain('canary');
  });
});
