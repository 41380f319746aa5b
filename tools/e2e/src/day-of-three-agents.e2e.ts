// A day of three agents and an operator, over a restart of the daemon and a rotation of the audit file: which agent called
// what is answered by the command, the log proves it, and one of each kind of call has its explanation.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Explanation } from '@portico/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { type AuditEvent, auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { porticoAt } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { callOf, cliMain, connectClient, hello, initialized, startMcpStdio } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const folder = tempFolder();
const file = join(folder, 'log/audit.jsonl');
const place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
const portico = porticoAt(place);
const upstream = scripted({ tools: ['work', 'drop', 'gone', 'tool_error'].map((name) => tool(name)) });
const config = {
  port: 0,
  mcpServers: { s: upstream.server },
  mcpHttpServer: { port: 0 },
  mcpExposure: 'native',
  policy: { requireApproval: ['s.drop'], deny: ['s.gone'] },
  audit: { filePath: file, maxFileMb: 1, durability: 'strict' },
};
/** Three of them fill a segment. */
const long = 'x'.repeat(400_000);

const start = async () => {
  const daemon = await startDaemon(config, place);
  await daemon.connected();
  return daemon;
};

async function claudeCalls(): Promise<void> {
  const claude = startMcpStdio(place);
  claude.write(hello(1, {}, { name: 'claude-code', version: '2.1.3' }));
  await claude.answer(1);
  claude.write(initialized);
  for (const [n, name] of ['work', 'tool_error', 'gone', 'drop'].entries()) {
    claude.write(callOf(n + 2, `s__${name}`, { by: 'claude' }));
    await claude.answer(n + 2);
  }
}

async function cursorCalls(daemon: Daemon, names: readonly string[]): Promise<void> {
  const cursor = await connectClient(
    'legacy',
    { kind: 'http', url: daemon.mcpUrl() },
    { name: 'cursor', version: '1.7' },
  );
  for (const name of names) await cursor.request('tools/call', { name: `s__${name}`, arguments: { by: 'cursor' } });
}

const scriptCalls = (daemon: Daemon, name: string, args: object = { by: 'script' }) =>
  daemon.post('/v1/tools/call', { capability_id: `s.${name}`, args }, { 'user-agent': 'nightly-script/3 (cron)' });

const segments = () =>
  readdirSync(dirname(file))
    .filter((name) => /\.jsonl\.\d{15}$/.test(name))
    .toSorted();

const eventsOf = async (...filters: readonly string[]) => {
  const { code, json } = await portico([
    'audit',
    'events',
    '--since',
    'yesterday',
    '--limit',
    '100',
    ...filters,
    '--json',
  ]);
  expect(code).toBe(0);
  return json<{ readonly events: readonly AuditEvent[] }>().events.toReversed();
};

const explain = async (id: string | undefined): Promise<Explanation> => {
  const { code, json } = await portico(['explain', String(id), '--json']);
  expect(code).toBe(0);
  return json<{ readonly explanation: Explanation }>().explanation;
};

const verify = () => spawnSync(process.execPath, [cliMain, 'audit', 'verify', file], { encoding: 'utf8' });

let daemon: Daemon;
let approved = '';

beforeAll(async () => {
  const before = await start();
  await claudeCalls();
  await cursorCalls(before, ['work', 'tool_error']);
  for (const name of ['work', 'tool_error', 'gone']) await scriptCalls(before, name);
  for (let n = 0; n < 4; n += 1) await scriptCalls(before, 'work', { n, long });
  await eventually(() => expect(segments().length).toBeGreaterThan(0));
  approved = await openTicket(before, 's.drop', { by: 'operator' });
  expect((await portico(['approvals', 'approve', approved, '--operator', 'ada'])).code).toBe(0);
  await before.stop();
  daemon = await start();
  await cursorCalls(daemon, ['gone', 'drop', 'work']);
  await scriptCalls(daemon, 'work');
});

describe('the day of three agents', () => {
  it('names each call of Cursor, from before and after the restart, and no others', async () => {
    const events = await eventsOf('--client', 'cursor');
    expect(events.map(({ capability_id, status, error_code }) => [capability_id, status, error_code])).toEqual([
      ['s.work', 'success', undefined],
      ['s.tool_error', 'failed', 'TOOL_ERROR'],
      ['s.gone', 'denied', 'POLICY_DENIED'],
      ['s.drop', 'intercepted', undefined],
      ['s.work', 'success', undefined],
    ]);
    const { body } = await auditOf(daemon).list('?limit=200');
    const byArguments = body.events.filter((event) =>
      JSON.stringify(event.sanitized_args ?? {}).includes('"by":"cursor"'),
    );
    expect(byArguments.map(({ id }) => id).toReversed()).toEqual(events.map(({ id }) => id));
  });

  it.each([
    ['claude-code', 'stdio', 4],
    ['cursor', 'mcp-http', 5],
    ['nightly-script', 'http', 8],
  ])('counts the calls of %s, over %s', async (client, channel, calls) => {
    const events = await eventsOf('--client', client);
    expect(new Set(events.map((event) => event.channel))).toEqual(new Set([channel]));
    expect(events).toHaveLength(calls);
    const { json } = await portico(['audit', 'stats', '--by', 'client', '--json']);
    expect(json()).toMatchObject({ by_client: expect.arrayContaining([{ client, count: calls }]) });
  });

  it('names the approval by the operator, and who it was', async () => {
    const decisions = await eventsOf('--type', 'approval_approved');
    expect(decisions).toMatchObject([{ approval_id: approved, details: { operator: 'ada' } }]);
    expect(await explain(approved)).toMatchObject({ cause: 'succeeded', outcome: 'success', verified: true });
  });

  it.each([
    ['work', 'succeeded'],
    ['tool_error', 'tool_error'],
    ['gone', 'denied_by_rule'],
    ['drop', 'approval_pending'],
  ])('explains the call of s.%s by Cursor: %s', async (name, cause) => {
    const event = (await eventsOf('--client', 'cursor')).find(({ capability_id }) => capability_id === `s.${name}`);
    expect(await explain(event?.trace_id)).toMatchObject({
      cause,
      outcome: event?.status,
      verified: true,
      client: { name: 'cursor' },
    });
  });

  it('is proved offline over all segments, and no longer once one byte of the first is another', async () => {
    await daemon.stop();
    expect(verify()).toMatchObject({ status: 0 });
    const first = join(dirname(file), segments()[0] ?? '');
    const text = readFileSync(first, 'utf8');
    const at = text.indexOf('"by":"cursor"') + '"by":"'.length;
    writeFileSync(first, `${text.slice(0, at)}k${text.slice(at + 1)}`);
    expect(verify()).toMatchObject({ status: 1, stdout: expect.stringContaining('NOT VALID') });
    writeFileSync(first, text);
    expect(verify()).toMatchObject({ status: 0 });
  });
});
