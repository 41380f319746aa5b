// The last calls, for every kind of audit log: as a list, as a stream, over time, and by the command.
import { join } from 'node:path';
import { createClient } from '@portico/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { porticoAt, startPortico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { callOf, hello, initialized, startMcpStdio } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';

const secret = 'hunter2hunter2';
const upstream = scripted({ tools: ['work', 'drop', 'gone'].map((name) => tool(name)) });

interface Call {
  readonly id: string;
  readonly capability_id: string;
  readonly trace_id: string;
}

async function start(audit: (folder: string) => object) {
  const folder = tempFolder();
  const place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
  const config = {
    port: 0,
    mcpServers: { s: upstream.server },
    mcpExposure: 'native',
    policy: { requireApproval: ['s.dr*'], deny: ['s.go*'], redactKeys: ['password'] },
    audit: audit(folder),
  };
  const daemon = await startDaemon(config, place);
  await daemon.connected();
  return { daemon, place, config };
}

const call = (daemon: Daemon, name: string, agent: string, args: object = {}) =>
  daemon.post('/v1/tools/call', { capability_id: `s.${name}`, args }, { 'x-service-client': agent });
const activityOf = async (daemon: Daemon, query = '') =>
  (await daemon.get<{ readonly calls: readonly Call[]; readonly cursor: string }>(`/v1/activity${query}`)).body;

describe.each([
  ['in memory', () => ({})],
  ['in a file', (folder: string) => ({ filePath: join(folder, 'audit.jsonl') })],
])('the last calls, with an audit log %s', (_, audit) => {
  let started: Awaited<ReturnType<typeof start>>;
  let daemon: Daemon;

  beforeAll(async () => {
    started = await start(audit);
    daemon = started.daemon;
    const stdio = startMcpStdio(started.place);
    stdio.write(hello(1, {}, { name: 'claude-code', version: '2.1.3' }));
    await stdio.answer(1);
    stdio.write(initialized);
    stdio.write(callOf(2, 's__work'));
    await stdio.answer(2);
    await call(daemon, 'work', 'curl/8', { password: secret, path: 'x' });
    await call(daemon, 'gone', 'cursor/1');
    await call(daemon, 'drop', 'cursor/1');
  });

  it('say who called what, how it ended, and with which redacted arguments', async () => {
    const { calls } = await activityOf(daemon);
    const traceId = expect.stringMatching(/^[0-9a-f]{32}$/);
    const common = { duration_us: expect.any(Number), trace_id: traceId };
    const cursor = { client: { name: 'cursor', version: '1' }, channel: 'http' };
    expect(calls).toMatchObject([
      { ...cursor, capability_id: 's.drop', trace_id: traceId, status: 'intercepted', approval_id: expect.any(String) },
      { ...common, ...cursor, capability_id: 's.gone', status: 'denied', error_code: 'POLICY_DENIED' },
      { ...common, client: { name: 'curl' }, status: 'success', arguments: '{"path":"x"}' },
      { ...common, client: { name: 'claude-code', version: '2.1.3' }, channel: 'stdio', capability_id: 's.work' },
    ]);
    expect(JSON.stringify(calls)).not.toContain(secret);
  });

  it('are found by agent, capability and status', async () => {
    const ids = async (query: string) => (await activityOf(daemon, query)).calls.map((found) => found.capability_id);
    expect(await ids('?client=claude-code')).toEqual(['s.work']);
    expect(await ids('?capability=s.gone')).toEqual(['s.gone']);
    expect(await ids('?status=success&limit=1')).toEqual(['s.work']);
    expect((await daemon.get('/v1/activity?status=good')).status).toBe(400);
  });

  it('are streamed as they end, behind the id that a reader has', async () => {
    const client = createClient({ baseUrl: daemon.url, program: 'e2e/1' });
    const { calls } = await activityOf(daemon);
    const gone = new AbortController();
    onCleanup(() => gone.abort());
    const stream = client.streamActivity({}, { lastEventId: calls[1]?.id, signal: gone.signal });
    const next = async () => (await stream.next()).value;
    expect(await next()).toMatchObject({ event: 'call', id: calls[0]?.id, data: { capability_id: 's.drop' } });
    await call(daemon, 'work', 'late/1');
    expect(await next()).toMatchObject({ event: 'call', data: { client: { name: 'late' }, status: 'success' } });
  });

  it('are counted over the last hour and the last day', async () => {
    const client = createClient({ baseUrl: daemon.url, program: 'e2e/1' });
    const { calls, failures } = await client.getActivitySeries({ range: '24h' }).then(({ points }) => ({
      calls: points.reduce((sum, point) => sum + point.calls, 0),
      failures: points.reduce((sum, point) => sum + point.failures, 0),
    }));
    expect([calls, failures]).toEqual([5, 1]);
    const { points, step_secs } = await client.getActivitySeries();
    expect(step_secs).toBe(10);
    expect(Math.max(...points.map(({ max_ms }) => max_ms ?? 0))).toBeGreaterThan(0);
  });

  it('are printed by portico tail, with their ids whole', async () => {
    const portico = porticoAt(started.place);
    const { calls } = await activityOf(daemon);
    const { stdout } = await portico(['tail', '--no-follow', '-n', '3']);
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^TIME +STATUS +AGENT +CAPABILITY /);
    expect(rows).toHaveLength(3);
    for (const [at, row] of [...rows].reverse().entries()) {
      expect(row).toContain(calls[at]?.id);
      expect(row).toContain(calls[at]?.trace_id);
      expect(row).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d) /);
    }
    const filtered = await portico(['tail', '--no-follow', '--client', 'cursor', '--status', 'denied', '--json']);
    expect(filtered.json()).toMatchObject({ capability_id: 's.gone', error_code: 'POLICY_DENIED' });
  });

  it('are followed by portico tail until Ctrl-C', async () => {
    const { configFile, stateDir } = started.place;
    const at = ['--config', configFile, '--state-dir', stateDir];
    const { child, stdout, exited } = startPortico([...at, 'tail', '-n', '1', '--capability', 's.work', '--json']);
    const agents = () =>
      stdout()
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { readonly client: { readonly name: string } }).client.name);
    await expect.poll(agents, { timeout: 20_000 }).toEqual(['late']);
    await call(daemon, 'gone', 'unseen/1');
    await call(daemon, 'work', 'followed/1');
    await expect.poll(agents, { timeout: 20_000 }).toEqual(['late', 'followed']);
    child.kill('SIGINT');
    expect((await exited).code).toBe(130);
  });
});

it('the last calls are there after a restart with the audit log in a file, and are empty with it off', async () => {
  const { daemon, place, config } = await start((folder) => ({ filePath: join(folder, 'audit.jsonl') }));
  await call(daemon, 'work', 'before/1');
  await daemon.stop();
  const next = await startDaemon(config, place);
  expect((await activityOf(next)).calls).toMatchObject([{ client: { name: 'before' }, capability_id: 's.work' }]);
  const { daemon: off } = await start(() => ({ enabled: false }));
  await call(off, 'work', 'unrecorded/1');
  expect(await activityOf(off)).toEqual({ ok: true, calls: [], cursor: '0', recorded: false });
  expect(JSON.stringify((await off.get('/v1/activity/series')).body)).toContain('"calls":1');
});
