// Every table of the command at the widths that terminals have, with the columns of the commands themselves: what
// matters is that an id can be copied from it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { cliMain } from './support/mcp.js';

const nowSecs = Math.floor(Date.now() / 1000);
const inFourMin = nowSecs + 4 * 60 + 30;
const threeHoursAgo = nowSecs - 3 * 3600 - 60;
const capability = 'everything.toggle-simulated-logging';
const resource = 'everything.demo://resource/static/document/architecture.md';
const task = '4f0c1a52-7d0e-4b7a-9a53-0a4b8a4ef9d1';
const description = `Toggles ${'very '.repeat(40)}much`;
const argumentsView = { entries: [{ depth: 0, key: 'text', value: description, redacted: false }], complete: true };
const message = { role: 'user', content: { type: 'text', text: description } };

const from = { client: { name: 'an-agent-with-a-long-name', version: '1.2.3' }, channel: 'mcp-http' };

const ticket = {
  ...from,
  id: 'appr-1795361234-12',
  capability_id: capability,
  status: { status: 'pending' },
  created_at: threeHoursAgo,
  expires_at: inFourMin,
  view: { arguments: argumentsView },
};
const event = {
  id: 'aud-000000000123',
  timestamp: new Date(threeHoursAgo * 1000).toISOString(),
  event_type: 'approval_approved',
  status: 'intercepted',
  capability_id: capability,
  actor_id: 'a-person-with-a-name',
  actor_kind: 'token',
  error_code: 'APPROVAL_PENDING',
  ...from,
};
const call = {
  ...event,
  event_type: 'tool_call',
  approval_id: ticket.id,
  trace_id: '0123456789abcdef'.repeat(2),
  duration_us: 1_500_000,
  arguments: description,
};
const server = {
  id: 'a-server-with-a-long-name',
  status: 'reconnecting',
  transport: 'stdio',
  circuit: { state: 'half_open' },
  tools: 100,
  resources: 100,
  prompts: 100,
  last_error: description,
};
const found = { id: capability, score: 0.5, match_types: ['lexical', 'semantic'], mode: 'write', summary: description };
const source = {
  server_id: server.id,
  client: 'claude-desktop',
  already_configured: false,
  path: `/home/ann/${description}`,
};
const config = {
  capabilityAliases: { 'toggle-the-logging': { target: capability } },
  policy: {},
  mcpServers: {},
};
const input_schema = { type: 'object', properties: { 'a-rather-long-argument': { type: 'string', description } } };

const catalogEvent = {
  timestamp: threeHoursAgo,
  change_type: 'removed',
  object_type: 'capability',
  object_id: capability,
};

const receiver = 'the-phone-of-whoever-is-on-call';
const grant = 'grant-1795361234-12';
const budget = 'tokens-of-the-agents-that-work-at-night';

/** One answer for every path: each command takes the fields that are its own. */
const answer = (path: string) => ({
  ok: true,
  total: 1,
  approvals: [ticket],
  requests: [
    { id: 'samp-1795361234-12', status: 'pending', server_id: server.id, expires_at: inFourMin, messages: [message] },
  ],
  tasks: [
    {
      task_id: task,
      status: 'input_required',
      capability_id: capability,
      updated_at: threeHoursAgo,
      status_message: description,
    },
  ],
  records: [
    {
      key: `idk_${'0123456789abcdef'.repeat(4)}`,
      capability_id: capability,
      completed_at_epoch_secs: threeHoursAgo,
      created_at_epoch_secs: threeHoursAgo,
      replay_count: 3,
      response: { ok: true },
    },
  ],
  events: path.startsWith('/v1/audit') ? [event] : [catalogEvent],
  calls: [call],
  cursor: call.id,
  recorded: true,
  total_events: 1,
  by_status: { intercepted: 1 },
  by_event_type: { approval_approved: 1 },
  by_capability: [{ capability_id: capability, count: 1 }],
  by_client: [{ client: from.client.name, count: 1 }],
  by_channel: { [from.channel]: 1 },
  results: [
    { id: 'first-of-the-steps', capability_id: capability, ok: true, duration_us: 1500, data: { description } },
  ],
  capabilities: [{ ...found, capability_id: capability, calls: 12, failed: 1, refused: 0, last: event.timestamp }],
  capability: { id: capability, description, input_schema },
  resources: [{ id: resource, name: description, mime_type: 'text/markdown', description }],
  prompts: [{ id: capability, arguments: [{ name: 'city' }], description }],
  servers: [server],
  sources: [source],
  clients: [
    { id: 'claude-desktop', name: 'Claude Desktop', detected: true, attached: false, path: `/home/${description}` },
  ],
  receivers: [
    {
      name: receiver,
      format: 'ntfy',
      origin: 'https://ntfy.example',
      delivered: 3,
      failed: 1,
      last_error: description,
    },
  ],
  token_estimate: 'a quarter of the bytes',
  is_complete: true,
  budgets: [
    {
      id: budget,
      by: 'actor',
      limits: { calls: 500, result_tokens: 200_000 },
      accounts: [{ scope: description, used: { calls: 12, result_tokens: 150_000 }, resets_at: threeHoursAgo }],
    },
  ],
  grants: [
    {
      grant_id: grant,
      state: 'used_up',
      capability_id: capability,
      uses: 20,
      uses_left: 0,
      expires_at: inFourMin,
      conditions: [{ path: '/repository', value: description }],
      free: ['/title'],
      actor: description,
      role: null,
    },
  ],
  link_base: null,
  trials: [{ name: receiver, delivered: true, status: 200, message: description }],
  rules: [
    {
      pattern: capability,
      list: 'require_approval',
      mode: 'shadow',
      matches: 1,
      hits: 2,
      last_hit: event.timestamp,
      path: 'policy.shadow.requireApproval.0',
    },
  ],
  matches: { total: 1, items: [{ id: capability, kind: 'tool' }] },
  changed: { total: 1, items: [{ id: capability, from: 'allow', to: 'require_approval' }] },
  complete: true,
  past: {
    calls: 3,
    changed: {
      total: 1,
      items: [{ id: capability, calls: 3, from: 'allow', to: 'require_approval', role: null, last: { id: event.id } }],
    },
    ...{ records: 3, complete: true, durable: true, undetermined: 0, since: event.timestamp, oldest: event.timestamp },
  },
  config,
  profiles: { 'a-profile-with-a-name': { servers: [server.id, 'files'], description } },
});

const steps = join(mkdtempSync(join(tmpdir(), 'portico-tables-')), 'steps.json');

/** A command line, and the ids that it has to show whole. */
const cases: readonly (readonly [command: string, ids: readonly string[]])[] = [
  ['approvals list', [ticket.id]],
  ['audit events', [event.id]],
  ['audit stats', [capability]],
  ['audit stats --by client', [from.client.name]],
  [`batch ${steps}`, ['first-of-the-steps']],
  ['budgets list', [budget]],
  ['grants list --state all', [grant]],
  ['clients list', ['claude-desktop']],
  ['config alias list', ['toggle-the-logging', capability]],
  ['config import --list', [server.id]],
  ['config profile list', ['a-profile-with-a-name']],
  [`describe ${capability}`, ['a-rather-long-argument']],
  ['events', [capability]],
  ['idempotency list', [`idk_${'0123456789abcdef'.repeat(4)}`]],
  ['list capabilities', [capability]],
  ['list prompts', [capability]],
  ['list resources', [resource]],
  ['notices list', [receiver]],
  ['notices test', [receiver]],
  ['policy match a.*', [event.id]],
  ['policy rules', ['require_approval']],
  ['sampling list', ['samp-1795361234-12']],
  ['search logging', [capability]],
  ['server list', [server.id]],
  ['tail --no-follow', [capability]],
  ['tasks list', [task]],
  ['usage', [capability]],
  ['usage --by client', [from.client.name]],
];

type Cli = Pick<typeof import('@portico/cli'), 'runCommand' | 'commandReference'>;
let cli: Cli;
let url = '';
const upstream = createServer(({ url: path = '' }, response) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(path))),
);

beforeAll(async () => {
  cli = await import(pathToFileURL(join(dirname(cliMain), 'index.js')).href);
  writeFileSync(steps, '[]');
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});

afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
  rmSync(join(steps, '..'), { recursive: true });
});

afterEach(() => vi.restoreAllMocks());

/** The lines of a command on a terminal of this width, or in a pipe. */
async function linesOf(command: string, columns: number | undefined): Promise<readonly string[]> {
  let written = '';
  const before = { isTTY: process.stdout.isTTY, columns: process.stdout.columns };
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns });
  vi.stubEnv('NO_COLOR', '1');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += text;
    return true;
  });
  try {
    expect(await cli.runCommand([...command.split(' '), '--url', url])).toBe(0);
  } finally {
    Object.assign(process.stdout, before);
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
  return written.trimEnd().split('\n');
}

const widths = [60, 80, 100, 140];

describe.each(cases)('the table of %s', (command, ids) => {
  it.each(widths)('cuts no id on a terminal of %i columns', async (columns) => {
    const lines = await linesOf(command, columns);
    const known = [...ids, capability, server.id, event.id];
    for (const id of ids) expect(lines.join('\n')).toContain(id);
    for (const cell of lines.flatMap((line) => line.split(/ {2,}/)).filter((text) => text.endsWith('…')))
      expect(known.filter((id) => cell !== '…' && id.startsWith(cell.slice(0, -1)))).toEqual([]);
    const widestId = Math.max(...ids.map((id) => id.length));
    if (/^(describe|policy match) /.test(command)) return; // what is above their tables is prose
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(Math.max(columns, widestId));
  });

  it('has every column and exact times with --wide', async () => {
    const prose = / \(\d+ \w+ ago\)/; // above a table, a terminal shows how long ago an exact time is
    const lines = (await linesOf(`${command} --wide`, 60)).map((line) => line.replace(prose, ''));
    expect(lines).toEqual(await linesOf(command, undefined));
    expect(lines.join('\n')).not.toMatch(/…| ago\b|\bin \d/);
  });
});

describe('who asked', () => {
  it.each(['audit events', 'approvals list'])('is in the table of %s where there is room', async (command) => {
    const [headings = '', row = ''] = await linesOf(command, 240);
    expect(headings).toMatch(/ CLIENT +CHANNEL /);
    expect(row).toMatch(/ an-agent-with-a-long-name +mcp-http /);
    expect((await linesOf(command, 80))[0]).not.toContain('CLIENT');
  });

  it('is all that statistics by client show', async () => {
    expect(await linesOf('audit stats --by client', 80)).toEqual([
      '1 record',
      'CLIENT                     RECORDS',
      'an-agent-with-a-long-name  1',
    ]);
  });
});

describe('times in a table', () => {
  it('are relative on a terminal and exact in a pipe', async () => {
    const row = (lines: readonly string[]) => lines[1] ?? '';
    expect(row(await linesOf('approvals list', 140))).toMatch(/ 3 h ago +in 4 min /);
    expect(row(await linesOf('approvals list', undefined))).toMatch(
      / \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d) /,
    );
  });
});

it('has a case for every command with a table', () => {
  const sections = cli.commandReference('0.0.0').split('\n## portico ').slice(1);
  const tables = sections.filter((section) => section.includes('`--wide`')).map((section) => section.split('\n', 1)[0]);
  expect(tables).toHaveLength(24);
  expect(tables.filter((path) => !cases.some(([command]) => `${command} `.startsWith(`${path} `)))).toEqual([]);
});
