// Actor, action and rule: records name the program that asked, in its own words, and the facade it came through.
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AuditEvent, auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { porticoAt } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { callOf, connectClient, hello, initialized, modernRequest, startMcpStdio } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';

const secret = 'hunter2hunter2';
const upstream = scripted({ tools: ['work', 'drop', 'gone', 'tool_error'].map((name) => tool(name)) });
let daemon: Daemon;
let place: { readonly configFile: string; readonly stateDir: string };

const whoOf = ({ client, channel }: AuditEvent) => [client?.name, client?.version, channel];
const eventsOf = (query: string) => auditOf(daemon).events(`?event_type=tool_call&${query}`);
const callTool = (headers: Readonly<Record<string, string>>) =>
  daemon.post('/v1/tools/call', { capability_id: 's.work', args: {} }, headers);

beforeAll(async () => {
  const folder = tempFolder();
  place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
  const config = {
    port: 0,
    mcpServers: { s: upstream.server },
    mcpHttpServer: { port: 0 },
    mcpExposure: 'native',
    policy: { requireApproval: ['s.dr*'], deny: ['s.go*'] },
    audit: { filePath: join(folder, 'audit.jsonl') },
  };
  daemon = await startDaemon(config, place);
  await daemon.connected();
});

describe('three agents and two of our own programs', () => {
  beforeAll(async () => {
    const claude = startMcpStdio(place);
    claude.write(hello(1, {}, { name: 'claude-code', version: '2.1.3' }));
    await claude.answer(1);
    claude.write(initialized);
    claude.write(callOf(2, 's__work'));
    await claude.answer(2);
    const info = { name: 'cursor-vscode', version: '1.0.0' };
    const cursor = await connectClient('legacy', { kind: 'http', url: daemon.mcpUrl() }, info);
    await cursor.request('tools/call', { name: 's__work', arguments: {} });
    const modern = modernRequest(1, 'tools/call', { name: 's__work', arguments: {} });
    for (let time = 0; time < 2; time += 1) {
      const accept = 'application/json, text/event-stream';
      const headers = { 'content-type': 'application/json', accept, ...modern.headers };
      await fetch(daemon.mcpUrl(), { method: 'POST', headers, body: JSON.stringify(modern.body) });
    }
    await callTool({ 'user-agent': 'nightly-script/3 (cron) libfetch/1' });
    await callTool({ 'user-agent': 'curl/8', 'x-service-client': 'Build Agent/7.1' });
    await callTool({ 'user-agent': 'curl/8', 'x-service-client': 'portico-console' });
    await porticoAt(place)(['call', 's.work']);
  });

  it.each([
    ['claude-code', '2.1.3', 'stdio', 1],
    ['cursor-vscode', '1.0.0', 'mcp-http', 1],
    ['raw', '1', 'mcp-http', 2],
    ['nightly-script', '3', 'http', 1],
    ['Build Agent', '7.1', 'http', 1],
    ['portico-console', undefined, 'ui', 1],
    ['portico-cli', expect.any(String), 'cli', 1],
  ])('%s is named and found by its name', async (name, version, channel, count) => {
    const found = (await eventsOf(`client=${encodeURIComponent(name)}`)).map(whoOf);
    expect(found).toEqual(Array.from({ length: count }, () => [name, version, channel]));
  });

  it('are found by their channel as well, in lists, in exports and by the command', async () => {
    expect((await eventsOf('channel=stdio')).map(whoOf)).toEqual([['claude-code', '2.1.3', 'stdio']]);
    expect(await eventsOf('channel=stdio&client=curl')).toEqual([]);
    expect((await daemon.get('/v1/audit/events?channel=telnet')).status).toBe(400);
    const { text } = await daemon.get('/v1/audit/export?format=csv&client=cursor-vscode');
    expect(text).toContain('"{""name"":""cursor-vscode"",""version"":""1.0.0""}",mcp-http');
    const listed = await porticoAt(place)([
      'audit',
      'events',
      '--client',
      'claude-code',
      '--channel',
      'stdio',
      '--json',
    ]);
    expect(listed.json<{ readonly events: readonly AuditEvent[] }>().events.map(whoOf)).toEqual([
      ['claude-code', '2.1.3', 'stdio'],
    ]);
  });

  it('are in a log that verifies', async () => {
    expect(await auditOf(daemon).report()).toMatchObject({ is_valid: true });
  });
});

describe('a name that is hostile', () => {
  it.each([
    ['a'.repeat(3000), 'a'.repeat(64), undefined],
    [`agent token=${secret}/1`, 'agent token=[REDACTED]', '1'],
    [`agent/Bearer\u00a0${secret}`, 'agent', expect.not.stringContaining(secret)],
    ['=HYPERLINK(1)/1', '=HYPERLINK(1)', '1'],
  ])('%s is bounded, and holds no secret', async (given, name, version) => {
    await callTool({ 'x-service-client': given });
    const [event] = await eventsOf('limit=1');
    expect(event?.client).toEqual(version === undefined ? { name } : { name, version });
  });

  it('loses control characters and what turns the direction of a text', async () => {
    const agent = startMcpStdio(place);
    agent.write(hello(1, {}, { name: '\u001b[31magent\u202e\n\ud800x', version: '\u0007' }));
    await agent.answer(1);
    agent.write(callOf(2, 's__work'));
    await agent.answer(2);
    expect((await eventsOf('limit=1'))[0]).toMatchObject({ client: { name: '[31magent x' }, channel: 'stdio' });
  });

  it('is left out where there is none', async () => {
    await callTool({ 'x-service-client': '', 'user-agent': '' });
    const [event] = await eventsOf('limit=1');
    expect([event?.client, event?.channel]).toEqual([undefined, 'http']);
  });
});

describe('a record names the deciding rule, and the outcome', () => {
  const newest = async (): Promise<AuditEvent | undefined> => (await auditOf(daemon).events('?limit=1'))[0];
  const digest = expect.stringMatching(/^[0-9a-f]{32}$/);

  it('of a call that succeeds: who, and what it took', async () => {
    await daemon.call('s.work', { n: 1 });
    const event = await newest();
    expect(event).toMatchObject({ status: 'success', channel: 'http', duration_us: expect.any(Number) });
    expect([event?.policy_digest, event?.args_digest, event?.result_digest]).toEqual([undefined, undefined, undefined]);
  });

  it('of a tool that says that it failed', async () => {
    const { status, body } = await daemon.call('s.tool_error', { token: secret });
    expect([status, body.ok]).toEqual([200, true]);
    const first = await newest();
    expect(first).toMatchObject({ status: 'failed', error_code: 'TOOL_ERROR', result_digest: digest });
    expect(first).toMatchObject({ policy_digest: digest, result_bytes: expect.any(Number) });
    expect(first?.upstream_us).toBeLessThanOrEqual(first?.duration_us ?? 0);
    const { etag } = (await daemon.get('/v1/capabilities/s.tool_error')).headers;
    expect(etag).toContain(first?.definition_digest);
    await daemon.call('s.tool_error', { token: secret });
    expect(await newest()).toMatchObject({ args_digest: first?.args_digest, result_digest: first?.result_digest });
    await daemon.call('s.tool_error', { token: 'another' });
    expect((await newest())?.args_digest).not.toBe(first?.args_digest);
    expect(JSON.stringify(first)).not.toContain(secret);
    expect((await daemon.get('/metrics')).text).toContain('channel="http",code="TOOL_ERROR"} 3');
  });

  it('of a call that a rule denies', async () => {
    await daemon.call('s.gone');
    expect(await newest()).toMatchObject({ event_type: 'policy_violation', rule: 'deny:s.go*', args_digest: digest });
  });

  it('of a call that waits, as its ticket does, also when it has run', async () => {
    const named = { 'x-service-client': `agent token=${secret}/2` };
    const { headers } = await daemon.post('/v1/tools/call', { capability_id: 's.drop', args: {} }, named);
    const who = {
      client: { name: 'agent token=[REDACTED]', version: '2' },
      channel: 'http',
      rule: 'require_approval:s.dr*',
    };
    expect(await newest()).toMatchObject({ event_type: 'approval_created', ...who });
    const { body } = await daemon.get<{ readonly approval: object }>(headers.location ?? '');
    expect(body.approval).toMatchObject(who);
    await daemon.post(`${headers.location}/approve`, { operator: 'me' });
    expect(await newest()).toMatchObject({ event_type: 'tool_call', ...who });
  });

  it('of a task, which names its client as well', async () => {
    const named = { 'x-service-client': 'batcher/3', prefer: 'respond-async' };
    await daemon.post('/v1/tools/call', { capability_id: 's.work', args: {} }, named);
    const { body } = await daemon.get<{ readonly tasks: readonly object[] }>('/v1/tasks');
    expect(body.tasks[0]).toMatchObject({ client: { name: 'batcher', version: '3' }, channel: 'http' });
  });
});

describe('an error says what to do next', () => {
  const errorOf = async (id: string, args = {}) => (await daemon.call(id, args)).body.error;

  it('with ids that are near, but none that the caller may not see', async () => {
    expect(await errorOf('s.wrok')).toMatchObject({ code: 'TOOL_NOT_FOUND', hint: 'did you mean "s.work"?' });
    expect(await errorOf('s.gonee')).not.toHaveProperty('hint');
    const described = await daemon.get<{ readonly error: object }>('/v1/capabilities/s.wrok');
    expect(described.body.error).toMatchObject({ hint: 'did you mean "s.work"?' });
  });

  it('over MCP by the tools that are there', async () => {
    const agent = startMcpStdio(place);
    agent.write(hello(1));
    await agent.answer(1);
    agent.write(callOf(2, 's__drop'));
    const text = JSON.stringify(await agent.answer(2));
    expect(text).toMatch(/call approval_status with approval_id/);
    expect(text).not.toContain('GET /v1/approvals');
  });
});
