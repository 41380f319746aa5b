// Who did what, and by which rule: records name the program that asked, in its own words, and the door it came through.
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AuditEvent, auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { porticoAt } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { callOf, connectClient, hello, initialized, modernRequest, startMcpStdio } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';

const secret = 'hunter2hunter2';
const upstream = scripted({ tools: [tool('work'), tool('drop')] });
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
    policy: { requireApproval: ['s.drop'] },
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
