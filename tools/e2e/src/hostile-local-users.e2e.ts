// Other users of this machine, and agents of this user with a tool that fetches: neither administers, and what they are
// refused starts no process, changes no file and decides no ticket.
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { type Asked, askAsForeign, foreignUid, noForeignUser, runAsForeign } from './support/foreign-user.js';
import { fixture, scripted } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** A server definition whose command leaves a file. */
function plantedServer(folder: string) {
  const file = join(folder, 'ran');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, '')`;
  return { file, body: { id: 'planted', server: { command: process.execPath, args: ['-e', script] } } };
}

async function openTicket(daemon: Daemon): Promise<string> {
  const { status, body, headers } = await daemon.call('s.pay', { to: 'mallory' });
  expect([status, body.error.code]).toEqual([202, 'APPROVAL_PENDING']);
  return headers.location?.split('/').at(-1) ?? '';
}

const statusOfTicket = async (daemon: Daemon, id: string) =>
  (await daemon.get<{ readonly approval: { readonly status: object } }>(`/v1/approvals/${id}`)).body.approval.status;

const pending = { status: 'pending' };

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'mallory', version: '1' } },
};
const mcpHeaders = { accept: 'application/json, text/event-stream' };

const attacks = (id: string, planted: object): readonly Asked[] => [
  { path: '/v1/config/servers', method: 'POST', body: planted },
  { path: '/v1/config/import', method: 'POST', body: {} },
  { path: '/v1/config/policy', method: 'POST', body: { requireApproval: [] } },
  { path: '/v1/config/reload', method: 'POST', body: {} },
  { path: '/v1/config' },
  { path: `/v1/approvals/${id}/approve`, method: 'POST', body: { operator: 'mallory' } },
  { path: `/v1/approvals/${id}/reject`, method: 'POST', body: { operator: 'mallory' } },
  { path: '/v1/clients/cursor/attach', method: 'POST', body: {} },
  { path: '/v1/audit/events' },
  { path: '/v1/audit/export' },
  { path: '/v1/sampling/requests/samp-1-1/respond', method: 'POST', body: { role: 'assistant', content: {} } },
  { path: '/v1/servers/s/logs' },
  { path: '/metrics' },
  { path: '/v1/console/codes', method: 'POST' },
];

const dailyCalls: readonly Asked[] = [
  { path: '/v1/capabilities' },
  { path: '/v1/tools/call', method: 'POST', body: { capability_id: 's.free', args: {} } },
  { path: '/v1/tasks' },
  { path: '/v1/idempotency/records' },
];

describe('a process of another user', () => {
  if (noForeignUser !== undefined) {
    it('is not started here: its requests are not tried, and the rule is shown by unit tests alone', () => {
      process.stderr.write(`\nNOT RUN: attacks of another user of this machine: ${noForeignUser}\n\n`);
      expect(noForeignUser).not.toBe('');
    });
    return;
  }

  const upstream = scripted({ tools: [tool('pay'), tool('free')] });
  const folder = tempFolder();
  const stateDir = join(folder, 'state');
  let daemon: Daemon;
  let ticket: string;

  beforeAll(async () => {
    daemon = await startDaemon(
      {
        mcpServers: { s: upstream.server },
        policy: { requireApproval: ['s.pay'] },
        mcpHttpServer: { port: 0 },
        audit: { filePath: join(folder, 'audit.jsonl') },
      },
      { stateDir },
    );
    await daemon.connected();
    ticket = await openTicket(daemon);
  });

  it('adds no server, decides nothing and reads nothing, and gets the rule and the setting in the refusal', async () => {
    const planted = plantedServer(folder);
    chmodSync(folder, 0o777); // the command could leave its file, for every user
    const before = (await daemon.get<{ readonly config: object }>('/v1/config')).body.config;
    const answers = await askAsForeign(daemon.url, attacks(ticket, planted.body));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
    for (const { text } of answers) {
      expect(JSON.parse(text).error).toMatchObject({ code: 'POLICY_DENIED' });
      expect(text).toContain(`the user ${foreignUid}`);
      expect(text).toContain('access.otherUsers');
    }
    expect((await daemon.get<{ readonly config: object }>('/v1/config')).body.config).toEqual(before);
    expect([existsSync(planted.file), await statusOfTicket(daemon, ticket)]).toEqual([false, pending]);
    expect(upstream.received('tools/call')).toEqual([]);
  });

  it('makes no calls either', async () => {
    const answers = await askAsForeign(daemon.url, dailyCalls);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(upstream.received('tools/call')).toEqual([]);
  });

  it('learns from the probes that the service lives, and nothing of its servers', async () => {
    const answers = await askAsForeign(daemon.url, [{ path: '/healthz' }, { path: '/readyz' }]);
    expect(answers).toEqual([
      { status: 200, text: '{"ok":true}' },
      { status: 200, text: '{"ok":true}' },
    ]);
  });

  it('is refused over the MCP listener in both eras', async () => {
    const base = daemon.mcpUrl().replace(/\/mcp$/, '');
    const answers = await askAsForeign(base, [
      { path: '/mcp', method: 'POST', headers: mcpHeaders, body: initialize },
      {
        path: '/mcp',
        method: 'POST',
        headers: { ...mcpHeaders, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
        body: { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
      },
      { path: '/mcp', headers: { accept: 'text/event-stream' } },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('is refused through a socket of IPv6 that reaches the address of IPv4', async () => {
    const answers = await askAsForeign(`http://[::ffff:127.0.0.1]:${daemon.port}`, [
      { path: '/v1/config', headers: { host: `127.0.0.1:${daemon.port}` } },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403]);
  });

  it('is not taken for root when it has closed its socket before the answer', async () => {
    const planted = plantedServer(folder);
    const body = JSON.stringify(planted.body);
    const source = `
      const socket = require('node:net').connect(${daemon.port}, '127.0.0.1', () => {
        const body = process.argv[1];
        socket.write('POST /v1/config/servers HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Type: application/json\\r\\nContent-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body, () => process.kill(process.pid, 'SIGKILL'));
      });`;
    for (let attempt = 0; attempt < 20; attempt += 1) await runAsForeign(source, body);
    const { body: config } = await daemon.get<{ readonly config: { readonly mcpServers: object } }>('/v1/config');
    expect([Object.keys(config.config.mcpServers), existsSync(planted.file)]).toEqual([['s'], false]);
  });

  it('opens neither the socket of the service nor the files of the state directory', async () => {
    const source = `
      const { readFileSync } = require('node:fs');
      const [dir] = process.argv.slice(1);
      const tried = ['service-token', 'http-address', 'id'].map((name) => { try { return readFileSync(dir + '/' + name, 'utf8'); } catch (error) { return error.code; } });
      const socket = require('node:net').connect(dir + '/portico.sock');
      socket.on('error', (error) => process.stdout.write([...tried, error.code].join(' ')));
      socket.on('connect', () => process.stdout.write([...tried, 'connected'].join(' '), () => process.exit(0)));`;
    expect(await runAsForeign(source, stateDir)).toBe('EACCES EACCES EACCES EACCES');
  });

  it('leaves a record of each refusal', async () => {
    const { body } = await daemon.get<{ readonly events: readonly object[] }>(
      '/v1/audit/events?event_type=auth_failure&limit=5',
    );
    expect(body.events.length).toBeGreaterThan(0);
    expect(body.events[0]).toMatchObject({ status: 'denied' });
  });

  it('does not spoil the connection of this user that follows on the same port', async () => {
    for (let round = 0; round < 5; round += 1) {
      await askAsForeign(daemon.url, [{ path: '/v1/config' }]);
      expect((await daemon.get('/v1/config')).status).toBe(200);
    }
  });

  it('is admitted by the token that the configuration asks for', async () => {
    const guarded = await startDaemon({
      mcpServers: {},
      authToken: 'shared',
      access: { requireTokenOnLoopback: true },
    });
    const [without, wrong, right] = await askAsForeign(guarded.url, [
      { path: '/v1/capabilities' },
      { path: '/v1/capabilities', headers: { authorization: 'Bearer guess' } },
      { path: '/v1/capabilities', headers: { authorization: 'Bearer shared' } },
    ]);
    expect([without?.status, wrong?.status, right?.status]).toEqual([401, 401, 200]);
  });

  it('is refused over IPv6 loopback', async () => {
    const six = await startDaemon({ mcpServers: {} }, { bind: '::1' });
    const [asked] = await askAsForeign(six.url, [{ path: '/v1/config' }]);
    expect([asked?.status, (await six.get('/v1/config')).status]).toEqual([403, 200]);
  });

  describe('that calls are admitted of', () => {
    const admitted = scripted({ tools: [tool('pay'), tool('free')] });
    let open: Daemon;
    let theirs: string;

    beforeAll(async () => {
      open = await startDaemon({
        mcpServers: { s: admitted.server },
        policy: { requireApproval: ['s.pay'] },
        access: { otherUsers: 'calls' },
      });
      await open.connected();
      theirs = await openTicket(open);
    });

    it('calls, and administers nothing', async () => {
      const planted = plantedServer(folder);
      const daily = await askAsForeign(open.url, dailyCalls);
      expect(daily.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(admitted.received('tools/call')).toHaveLength(1);
      const answers = await askAsForeign(open.url, attacks(theirs, planted.body));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
      expect(answers[0]?.text).toContain('access.otherUsers');
      expect([existsSync(planted.file), await statusOfTicket(open, theirs)]).toEqual([false, pending]);
    });

    it('does not see the tickets and keys of the user of the daemon', async () => {
      const headers = { 'idempotency-key': 'mine' };
      expect((await open.post('/v1/tools/call', { capability_id: 's.free', args: {} }, headers)).status).toBe(200);
      const [approval, list, key] = await askAsForeign(open.url, [
        { path: `/v1/approvals/${theirs}` },
        { path: '/v1/approvals' },
        { path: '/v1/idempotency/records/mine' },
      ]);
      expect([approval?.status, JSON.parse(list?.text ?? '').total, key?.status]).toEqual([404, 0, 404]);
    });
  });
});

describe('an agent of this user with a tool that fetches', () => {
  const upstream = scripted({ tools: [tool('pay'), tool('free')] });
  const folder = tempFolder();
  const stateDir = join(folder, 'state');
  const tokenFile = join(stateDir, 'operator-token');
  let daemon: Daemon;
  let token: string;

  const config = {
    mcpServers: { s: upstream.server },
    policy: { requireApproval: ['s.pay'] },
    access: { operatorToken: true },
    mcpHttpServer: { port: 0 },
  };
  const byToken = (given = token) => ({ authorization: `Bearer ${given}` });

  beforeAll(async () => {
    daemon = await startDaemon(config, { stateDir });
    await daemon.connected();
    token = readFileSync(tokenFile, 'utf8').trim();
  });

  it('calls without a token as before', async () => {
    const answers = [
      await daemon.list('capabilities'),
      await daemon.call('s.free'),
      await daemon.get('/v1/servers'),
      await daemon.get('/v1/approvals'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('leaves no operator token in the records when it has found it and sends it to a tool', async () => {
    expect((await daemon.call('s.free', { note: `it is ${token}.` })).status).toBe(200);
    const { text } = await daemon.get('/v1/audit/events?event_type=tool_call', byToken());
    expect([text.includes('it is [REDACTED].'), text.includes(token)]).toEqual([true, false]);
    expect(daemon.logText()).not.toContain(token);
  });

  it('sees the catalog under the tag that the operator sees', async () => {
    const [own, operators] = [await daemon.list('capabilities'), await daemon.list('capabilities', byToken())];
    expect([own.headers.etag, own.body]).toEqual([operators.headers.etag, operators.body]);
  });

  it('does not approve its own ticket, and administers nothing: 401 says how to', async () => {
    const planted = plantedServer(folder);
    const id = await openTicket(daemon);
    const ran = upstream.received('tools/call').length;
    for (const { path, method = 'GET', body } of attacks(id, planted.body)) {
      const answer = await daemon.send<Envelope>(path, {
        method,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      expect([path, answer.status, answer.headers['www-authenticate']]).toEqual([path, 401, 'Bearer realm="portico"']);
      expect(answer.body.error.message).toContain('access.operatorToken');
      expect(answer.body.error.message).toContain('portico ui');
    }
    expect([existsSync(planted.file), await statusOfTicket(daemon, id)]).toEqual([false, pending]);
    expect(upstream.received('tools/call')).toHaveLength(ran);
    const approved = await daemon.post(`/v1/approvals/${id}/approve`, { operator: 'ann' }, byToken());
    expect([approved.status, upstream.received('tools/call').length]).toEqual([200, ran + 1]);
  });

  it.each(['guess', 'a'.repeat(43), ''])('does not get in with the guessed token %j, on calls too', async (guess) => {
    const answers = [
      await daemon.get<Envelope>('/v1/config', byToken(guess)),
      await daemon.list('capabilities', byToken(guess)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(answers[0]?.body).toMatchObject({ error: { code: 'POLICY_DENIED' } });
  });

  it('is not asked to approve its own call over the MCP listener, with every declared capability', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: {
        name: 'capability_call',
        arguments: { capability_id: 's.pay', args: {} },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
      },
    };
    const headers = {
      ...mcpHeaders,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'capability_call',
    };
    const answer = await fetch(daemon.mcpUrl(), { method: 'POST', headers, body: JSON.stringify(call) });
    const text = await answer.text();
    expect(text).toContain('APPROVAL_PENDING');
    expect(text).not.toContain('input_required');
  });

  describe('a code of the console', () => {
    const codeOf = async () =>
      (await daemon.send<{ readonly code: string }>('/v1/console/codes', { method: 'POST', headers: byToken() })).body
        .code;
    const redeem = (code: string, headers = {}) =>
      daemon.post<{ readonly token: string }>('/v1/console/sessions', { code }, headers);

    it('opens one session, which administers, and no second', async () => {
      const code = await codeOf();
      const first = await redeem(code);
      expect(first.status).toBe(200);
      expect((await daemon.get('/v1/config', byToken(first.body.token))).status).toBe(200);
      const again = await redeem(code);
      expect([again.status, again.text.includes('was used before')]).toEqual([401, true]);
    });

    it('is no token, and a guessed one opens nothing', async () => {
      const code = await codeOf();
      expect((await daemon.get('/v1/config', byToken(code))).status).toBe(401);
      expect((await redeem('guessed')).status).toBe(401);
      expect((await redeem(token)).status).toBe(401);
    });

    it.each([{ origin: 'http://evil.example' }, { origin: 'null' }, { host: 'evil.example' }])(
      'opens nothing for a page elsewhere that sends %j, and stays good',
      async (headers) => {
        const code = await codeOf();
        expect((await redeem(code, headers)).status).toBe(403);
        expect((await redeem(code)).status).toBe(200);
      },
    );

    it('opens nothing as a form, which a page elsewhere could send', async () => {
      const code = await codeOf();
      const form = { 'content-type': 'text/plain' };
      expect((await daemon.post('/v1/console/sessions', `{"code":"${code}"}`, form)).status).toBe(415);
    });

    it('opens nothing for another user', async () => {
      if (noForeignUser !== undefined) return expect(noForeignUser).not.toBe('');
      const code = await codeOf();
      const [stolen] = await askAsForeign(daemon.url, [
        { path: '/v1/console/sessions', method: 'POST', body: { code } },
      ]);
      expect([stolen?.status, (await redeem(code)).status]).toEqual([401, 200]);
    });
  });

  it('does not join the socket of the service without the token in its directory', async () => {
    const socket = connect(join(stateDir, 'portico.sock'));
    socket.write(`${JSON.stringify({ portico: 1, profile: null, token: 'a'.repeat(43) })}\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    await once(socket.resume(), 'close');
    expect(JSON.parse(String(answer)).error).toContain('service-token');
  });

  it('finds the token in a file that its owner alone reads, the same after a restart, and another when it was removed', async () => {
    expect([statSync(tokenFile).mode & 0o777, statSync(join(stateDir, 'service-token')).mode & 0o777]).toEqual([
      0o600, 0o600,
    ]);
    await daemon.stop();
    daemon = await startDaemon(config, { stateDir });
    expect(readFileSync(tokenFile, 'utf8').trim()).toBe(token);
    await daemon.stop();
    writeFileSync(tokenFile, '');
    daemon = await startDaemon(config, { stateDir });
    const next = readFileSync(tokenFile, 'utf8').trim();
    expect(next).not.toBe(token);
    expect([
      (await daemon.get('/v1/config', byToken(token))).status,
      (await daemon.get('/v1/config', byToken(next))).status,
    ]).toEqual([401, 200]);
  });
});

describe('what is in force', () => {
  it('changes with the configuration, and takes the token away with the rule', async () => {
    const folder = tempFolder();
    const [configFile, stateDir] = [join(folder, 'config.json'), join(folder, 'state')];
    const write = (access: object) =>
      writeFileSync(configFile, JSON.stringify({ mcpServers: { s: fixture() }, access }));
    write({});
    const daemon = await startDaemon(undefined, { configFile, stateDir });
    expect([(await daemon.get('/v1/config')).status, existsSync(join(stateDir, 'operator-token'))]).toEqual([
      200,
      false,
    ]);
    write({ operatorToken: true });
    expect((await daemon.post('/v1/config/reload', {})).status).toBe(200);
    await eventually(async () => expect(existsSync(join(stateDir, 'operator-token'))).toBe(true));
    expect((await daemon.get('/v1/config')).status).toBe(401);
    const headers = { authorization: `Bearer ${readFileSync(join(stateDir, 'operator-token'), 'utf8').trim()}` };
    await eventually(async () => expect((await daemon.get('/v1/config', headers)).status).toBe(200));
    write({});
    expect((await daemon.post('/v1/config/reload', {}, headers)).status).toBe(200);
    expect((await daemon.get('/v1/config')).status).toBe(200);
    await eventually(async () => expect(existsSync(join(stateDir, 'operator-token'))).toBe(false));
  });

  it('keeps a token of the environment in force over a reload, although the process has forgotten it', async () => {
    const folder = tempFolder();
    const configFile = join(folder, 'config.json');
    const rbac = { roles: { ops: { admin: true } }, tokens: [{ role: 'ops', tokenEnv: 'OPS_TOKEN' }] };
    writeFileSync(configFile, JSON.stringify({ mcpServers: {}, rbac }));
    const daemon = await startDaemonProcess(undefined, { configFile, env: { OPS_TOKEN: 'of-the-start' } });
    const headers = { authorization: 'Bearer of-the-start' };
    expect((await daemon.get('/v1/config', headers)).status).toBe(200);
    writeFileSync(configFile, JSON.stringify({ mcpServers: {}, rbac: { ...rbac, defaultRole: null } }));
    expect((await daemon.post('/v1/config/reload', {}, headers)).status).toBe(200);
    expect([(await daemon.get('/v1/config', headers)).status, (await daemon.get('/v1/config')).status]).toEqual([
      200, 401,
    ]);
  });

  it('is carried by the portico command, which opens the console by a code and never by the token', async () => {
    const folder = tempFolder();
    const [configFile, stateDir] = [join(folder, 'config.json'), join(folder, 'state')];
    writeFileSync(configFile, JSON.stringify({ mcpServers: {}, access: { operatorToken: true } }));
    const daemon = await startDaemonProcess(undefined, { configFile, stateDir });
    expect(daemon.stdout()).toContain('portico access: administration needs the operator token');
    const own = ['--config', configFile, '--state-dir', stateDir];
    const shown = await portico(['config', 'show', ...own]);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    const { url } = JSON.parse((await portico(['ui', '--json', ...own])).stdout);
    const token = readFileSync(join(stateDir, 'operator-token'), 'utf8').trim();
    const [, page, code] = /^(.+)#code=(.+)$/.exec(url) ?? [];
    expect([page, url.includes(token)]).toEqual([`${daemon.url}/ui`, false]);
    expect((await daemon.post('/v1/console/sessions', { code })).status).toBe(200);
    const stranger = await portico(['config', 'show', '--url', daemon.url, '--state-dir', join(folder, 'none')]);
    expect([stranger.code, stranger.stderr.includes('portico ui')]).toEqual([1, true]);
  });

  it('is said in the log of the start', async () => {
    const daemon = await startDaemon({ mcpServers: {}, access: { operatorToken: true } });
    const said = daemon.log().map(({ msg, message }) => String(msg ?? message));
    expect(said).toContain(
      'access: administration needs the operator token of the state directory (access.operatorToken)',
    );
  });
});
