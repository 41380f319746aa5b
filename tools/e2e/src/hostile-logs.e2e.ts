// Attacks of servers and callers on the logs: flood them, carry secrets into them, and reach the terminal of a reader.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { startReceiver } from './support/receiver.js';
import { repository } from './support/repository.js';
import { openProgram, openTerminal } from './support/terminal.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** An MCP server of the test's own; `wild` is what it does beside answering. */
function hostile(wild: string): { readonly command: string; readonly args: readonly string[] } {
  const file = join(tempFolder(), 'server.mjs');
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let tools = [{ name: 't', description: 'plain', inputSchema: { type: 'object' } }];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const serverInfo = { name: 'h', version: '1' };
  const capabilities = { tools: { listChanged: true }, logging: {} };
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } });
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (id !== undefined) send({ id, result: { content: [] } });
  if (method === 'notifications/initialized') begin();
});
function begin() { ${wild} }
`,
  );
  return { command: process.execPath, args: [file] };
}

const bidi = '\u202e';
const clear = '\u001b[2J';
/** Characters that move the cursor, colour, reorder or hide letters; a line end does not count. */
const unsafe = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

describe('a server that floods the log', () => {
  it('has a hundred lines of each message in ten seconds, and the others are counted', async () => {
    const loud = hostile(
      `process.stderr.write(Array.from({ length: 20000 }, (_, n) => 'line ' + n).join('\\n') + '\\n');`,
    );
    const { lines, quiet } = await callBeside(loud, (written) => expect(written()).toBeGreaterThan(99));
    const counted = lines.filter(({ message }) => String(message).startsWith('suppressed '));
    expect(counted).toMatchObject([
      { message: expect.stringMatching(/^suppressed \d+ lines in \d+ s: a server wrote/) },
    ]);
    // In the first second a thousand lines are read, and a hundred of them are written.
    expect(Number(counted[0]?.suppressed)).toBeGreaterThanOrEqual(900);
    expect(lines.some(({ message }) => message === 'server is connected')).toBe(true);
    expect(quiet.received('tools/call')).toHaveLength(20);
  });

  it.each([
    [
      'says that its tools have changed',
      `let n = 0; setInterval(() => { n += 1; tools = [{ name: 't', description: 'plain ' + n, inputSchema: { type: 'object' } }];
       send({ method: 'notifications/tools/list_changed' }); }, 1);`,
    ],
    ['writes what is no JSON', `setInterval(() => process.stdout.write('garbage\\n'.repeat(100)), 1);`],
    [
      'sends log messages',
      `setInterval(() => send({ method: 'notifications/message', params: { level: 'error', data: 'x' } }), 1);`,
    ],
    ['ends as soon as it is connected', 'process.exit(1);'],
  ])('and %s without end writes few lines', async (_how, wild) => {
    const { lines, quiet } = await callBeside(hostile(wild), () => {});
    expect(lines.length).toBeLessThan(500);
    expect(quiet.received('tools/call')).toHaveLength(20);
  });

  /** Twenty calls of another server, and what the log has of the loud one. */
  async function callBeside(loud: object, until: (written: () => number) => void) {
    const quiet = scripted({ tools: [tool('a')] });
    const daemon = await startDaemonProcess({ mcpServers: { loud, quiet: quiet.server } }, { logLevel: 'info' });
    await daemon.connected('quiet');
    const ofLoud = () => daemon.log().filter(({ server }) => server === 'loud');
    await eventually(() => until(() => ofLoud().length));
    for (let n = 0; n < 20; n++) expect((await daemon.call('quiet.a', { n })).status).toBe(200);
    await daemon.stop();
    return { lines: ofLoud(), quiet };
  }

  it('and whose schema has patterns that nothing can check writes few lines, however often arguments are checked', async () => {
    const costly = { type: 'array', items: { type: 'string', pattern: `(a?){900}${'x'.repeat(900)}` } };
    const properties = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [`p${n}`, { type: 'string', pattern: `(?=x)${n}` }]),
    );
    const schema = { type: 'object', properties: { ...properties, list: costly } };
    const upstream = scripted({ tools: [tool('t', { inputSchema: schema })] });
    const daemon = await startDaemonProcess({ mcpServers: { loud: upstream.server } }, { logLevel: 'warn' });
    await daemon.connected();
    const text = 'y'.repeat(900);
    for (let n = 0; n < 3; n++) await daemon.call('loud.t', { list: Array.from({ length: 400 }, () => `${text}${n}`) });
    await daemon.stop();
    expect(upstream.received('tools/call')).toHaveLength(3);
    const lines = daemon.log().filter((line) => JSON.stringify(line).includes('is not checked'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(210);
    expect(lines.at(-1)).toMatchObject({ message: expect.stringMatching(/^suppressed \d+ lines/) });
  });

  it('and whose definitions are left out has the first names of them in the log, each cut', async () => {
    const tools = Array.from({ length: 2000 }, (_, n) => tool(`${'z'.repeat(300)}${n >> 1}`));
    const daemon = await startDaemonProcess({ mcpServers: { loud: scripted({ tools }).server } }, { logLevel: 'info' });
    await daemon.connected();
    await daemon.stop();
    const line = daemon.log().find(({ message }) => String(message).startsWith('definitions left out'));
    expect(line).toMatchObject({ server: 'loud', of: 1000 });
    expect(JSON.stringify(line).length).toBeLessThan(2000);
  });

  it('does not keep the lines of another server from the log', async () => {
    const wild = `for (let n = 0; n < 5000; n++) process.stderr.write('x\\n');`;
    const config = { mcpServers: { loud: hostile(wild), other: hostile(`process.stderr.write('the only line\\n');`) } };
    const daemon = await startDaemonProcess(config, { logLevel: 'info' });
    await eventually(() => expect(daemon.logText()).toContain('the only line'));
    expect(daemon.log().filter(({ line }) => line === 'x').length).toBeLessThanOrEqual(100);
  });
});

describe('a known secret that is sent as an argument', () => {
  const secret = 'canary/7f3a"b+9 Z';
  const spellings: readonly [string, string][] = [
    ['as it is', secret],
    ['inside of a text', `please use ${secret}, thanks`],
    ['in JSON', JSON.stringify({ k: secret })],
    ['in a URL', `https://h.test/?q=${encodeURIComponent(secret)}`],
    ['in a URL in lower case', encodeURIComponent(secret).toLowerCase().replaceAll('z', 'Z')],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    ['as a bearer token', `Bearer ${secret}`],
  ];

  async function start() {
    const folder = tempFolder();
    const upstream = scripted({ tools: [tool('a'), tool('gated')] });
    const receiver = await startReceiver();
    const file = join(folder, 'audit.jsonl');
    const config = {
      mcpServers: { s: { ...upstream.server, env: { SERVICE_KEY: 'env://SERVICE_KEY' } } },
      policy: { requireApproval: ['s.gated'], webhook: { url: receiver.url } },
      audit: { filePath: file, flushIntervalMs: 1 },
    };
    const daemon = await startDaemonProcess(config, { env: { SERVICE_KEY: secret } });
    await daemon.connected();
    return { daemon, upstream, receiver, file };
  }

  it('reaches the server, and no audit record, in every spelling', async () => {
    const { daemon, upstream, file } = await start();
    for (const [key, text] of spellings) {
      const args = { [key]: text, list: [{ deep: text }], [text]: 1, kept: 'kept value' };
      expect((await daemon.call('s.a', args)).status).toBe(200);
    }
    expect(upstream.received('tools/call')).toHaveLength(spellings.length);
    expect(upstream.received('tools/call')[0]?.params).toMatchObject({ arguments: { 'as it is': secret } });
    const events = await auditOf(daemon).events('?event_type=tool_call');
    expect(events).toHaveLength(spellings.length);
    const records = readFileSync(file, 'utf8') + JSON.stringify(events);
    for (const [, text] of spellings) expect(records).not.toContain(JSON.stringify(text).slice(1, -1));
    expect(records).not.toContain('canary/7f3a');
    expect(events.every(({ sanitized_args }) => sanitized_args?.kept === 'kept value')).toBe(true);
    expect(events.at(-1)?.sanitized_args).toMatchObject({ 'as it is': '[REDACTED]' });
  });

  it('reaches no ticket, notice, id or log line either', async () => {
    const { daemon, receiver, file } = await start();
    const answer = await daemon.call(
      's.gated',
      { note: `use ${secret}`, [`key ${secret}`]: [secret] },
      { 'Idempotency-Key': `key ${secret}` },
    );
    expect(answer.status).toBe(202);
    await eventually(() => expect(receiver.deliveries.length).toBeGreaterThan(0));
    const written = `${receiver.deliveries.map(({ raw }) => raw.toString('utf8')).join('')}${readFileSync(file, 'utf8')}${daemon.logText()}`;
    expect(written).not.toContain('canary/7f3a');
    const list = await daemon.get<{ approvals: readonly { sanitized_args: object }[] }>('/v1/approvals');
    expect(list.body.approvals[0]?.sanitized_args).toEqual({
      note: 'use [REDACTED]',
      'key [REDACTED]': ['[REDACTED]'],
    });
  });

  it('is masked also where it is the key of an embedder, or a password in an address', async () => {
    const secrets = { key: 'sk-embed-88231', hook: 'hook pass 5512', siem: 'siem-pass-7731' };
    const upstream = scripted({ tools: [tool('a')] });
    const collector = await startReceiver();
    const withPassword = (password: string) =>
      collector.url.replace('http://', `http://u:${encodeURIComponent(password)}@`);
    const config = {
      mcpServers: { s: upstream.server },
      search: { embeddings: { provider: 'openai', url: collector.url, model: 'm', apiKeyEnv: 'EMBEDDER_KEY' } },
      policy: { webhook: { url: withPassword(secrets.hook) } },
      audit: { siem: { targets: [{ type: 'webhook', url: withPassword(secrets.siem) }] } },
    };
    const daemon = await startDaemon(config, { env: { EMBEDDER_KEY: secrets.key } });
    await daemon.connected();
    await daemon.call('s.a', secrets);
    const [event] = await auditOf(daemon).events('?event_type=tool_call');
    const masked = '[REDACTED]';
    expect(event?.sanitized_args).toEqual({ key: masked, hook: masked, siem: masked });
  });

  it('is masked also where it is a token of the service itself', async () => {
    const token = 'operator-token-5561';
    const upstream = scripted({ tools: [tool('a')] });
    const daemon = await startDaemon({ authToken: token, mcpServers: { s: upstream.server } });
    await daemon.connected();
    await daemon.call('s.a', { text: token });
    const [event] = await auditOf(daemon).events('?event_type=tool_call');
    expect(event?.sanitized_args).toEqual({ text: '[REDACTED]' });
  });
});

describe('text of a server', () => {
  const wicked = `x${clear}${bidi}gpj.exe\u009b31m\u0007`;

  it('reaches the terminal of a daemon without what would move the cursor or reorder letters', async () => {
    const folder = tempFolder();
    const wild = `process.stderr.write(${JSON.stringify(`${wicked}\n`)}); setTimeout(() => { tools = []; }, 1);`;
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { s: hostile(wild) } }));
    const main = join(repository, 'apps/daemon/dist/main.js');
    const flags = ['--config', file, '--state-dir', join(folder, 'state'), '--port', '0', '--log-level', 'info'];
    const terminal = openProgram([process.execPath, main, ...flags], { env: { NO_COLOR: '1' } });
    await terminal.shows('gpj.exe');
    expect(terminal.written()).not.toContain(bidi);
    expect(terminal.written()).not.toContain(clear);
    expect(terminal.written()).not.toContain('\u009b');
    expect(terminal.written()).toContain('\\u202e');
    terminal.signal('SIGTERM');
    await terminal.exited;
  });

  it('reaches no terminal by a list, a description, a search, an error or the audit log', async () => {
    const upstream = scripted({
      tools: [
        { ...tool('a'), description: wicked, title: wicked },
        { ...tool(`n${bidi}`), description: wicked },
      ],
    });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    await daemon.call('s.a', { text: wicked }, { 'x-request-id': 'r' });
    const commands = [
      ['list'],
      ['describe', 's.a'],
      ['search', 'gpj'],
      ['call', `s.${wicked}`],
      ['server', 'logs', 's'],
      ['audit', 'events'],
      ['audit', 'show', 'aud-000000000002'],
      ['list', '--json'],
    ];
    for (const args of commands) {
      const terminal = openTerminal([...args, '--url', daemon.url], { env: { NO_COLOR: '1' } });
      await terminal.exited;
      const written = terminal.written().replaceAll('\r\n', '\n');
      // Progress is written in place and taken back: the one sequence of our own.
      expect([args, unsafe.exec(written.replaceAll('\r\u001b[K', ''))]).toEqual([args, null]);
    }
  });
});

describe('a database beyond loopback without TLS', () => {
  it('is a warning of doctor', async () => {
    const folder = tempFolder();
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify({ mcpServers: {}, storage: { url: 'postgres://me:pw@db.example/portico' } }));
    const { code, stdout } = await portico(['doctor', '--offline', '--config', file, '--state-dir', join(folder, 's')]);
    expect([code, stdout]).toEqual([1, expect.stringContaining('storage-unencrypted')]); // nor can it be reached
    expect(stdout).not.toContain('pw@');
  });

  it('is a warning at the start, before the database answers', async () => {
    const folder = tempFolder();
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify({ mcpServers: {}, storage: { url: 'postgres://me@192.0.2.1:1/portico' } }));
    const main = join(repository, 'apps/daemon/dist/main.js');
    const child = spawn(process.execPath, [main, '--config', file, '--state-dir', join(folder, 's'), '--port', '0']);
    onCleanup(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    await eventually(() => expect(stderr).toContain('names 192.0.2.1 without sslmode'));
    expect(existsSync(join(folder, 's'))).toBe(true);
  });
});
