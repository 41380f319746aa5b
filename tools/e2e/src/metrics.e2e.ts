// Metrics as Prometheus scrapes them from the built daemon, and the threshold of its log.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { parsePrometheus, type Sample } from './support/prometheus.js';
import { dead, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const offered = {
  tools: ['echo', 'fail', 'crash', 'gated', 'denied', 'held'].map((name) => tool(name)),
  resources: [{ uri: 'doc://one', name: 'one' }],
  resourceTemplates: [{ uriTemplate: 'db://{path}', name: 'any' }],
  prompts: [{ name: 'greet' }],
};

async function start(file: object = {}) {
  const upstream = scripted(offered);
  const config = { mcpServers: { s: upstream.server }, ...file };
  const daemon = await startDaemon(config);
  await daemon.connected('s');
  return { daemon, upstream };
}

async function scrape(daemon: Daemon) {
  const reply = await daemon.get('/metrics');
  const families = parsePrometheus(reply.text);
  /** The value of one sample; undefined if there is none. */
  const value = (name: string, labels: Sample['labels'] = {}, family = name) =>
    families
      .get(family)
      ?.samples.find(
        (sample) => sample.name === name && JSON.stringify(sorted(sample.labels)) === JSON.stringify(sorted(labels)),
      )?.value;
  return { reply, families, value };
}

const sorted = (labels: Sample['labels']) => Object.entries(labels).sort();

describe('GET /metrics', () => {
  it('answers Prometheus text, with the process in it [daemon-metrics]', async () => {
    const { daemon } = await start();
    const { reply, families } = await scrape(daemon);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const own = [...families].filter(([name]) => name.startsWith('portico_')).map(([name, { type }]) => [name, type]);
    expect(Object.fromEntries(own)).toEqual({
      portico_executions_total: 'counter',
      portico_execution_duration_seconds: 'histogram',
      portico_replays_total: 'counter',
      portico_circuit_state: 'gauge',
      portico_queue_depth: 'gauge',
      portico_calls_running: 'gauge',
      portico_server_restarts_total: 'counter',
      portico_server_status: 'gauge',
      portico_approvals_pending: 'gauge',
      portico_notices_total: 'counter',
      portico_catalog_entries: 'gauge',
      portico_shadow_hits_total: 'counter',
      portico_loops_total: 'counter',
      portico_budget_used_ratio: 'gauge',
      portico_grant_uses_total: 'counter',
      portico_channel_executions_total: 'counter',
      portico_search_vectors_ready: 'gauge',
      portico_search_vectors_missing: 'gauge',
      portico_embedder_failures_total: 'counter',
      portico_inspect_frames: 'gauge',
      portico_lock_usable: 'gauge',
      portico_lock_drift: 'gauge',
      portico_lock_held: 'gauge',
      portico_lock_drift_total: 'counter',
      portico_inspect_bytes: 'gauge',
      portico_inspect_dropped_total: 'counter',
      portico_audit_waiting_records: 'gauge',
      portico_audit_writable: 'gauge',
      portico_audit_siem_lag_records: 'gauge',
    });
    const documented = readFileSync(join(repository, 'docs/observability.md'), 'utf8').matchAll(
      /^\| `(portico_\w+)`/gm,
    );
    expect([...documented].map(([, name]) => name).sort()).toEqual(own.map(([name]) => name).sort());
    const processes = ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds'];
    expect([...families.keys()]).toEqual(expect.arrayContaining(processes));
  });

  it('counts executions of each kind by outcome, and how long they took', async () => {
    const { daemon } = await start({ policy: { deny: ['s.denied'], requireApproval: ['s.gated'] } });
    await daemon.call('s.echo');
    await daemon.call('s.echo');
    await daemon.call('s.fail');
    await daemon.call('s.denied');
    await daemon.call('s.unknown "name"\n');
    await openTicket(daemon, 's.gated', {});
    for (const key of ['k', 'k', 'k']) await daemon.call('s.echo', { n: 1 }, { idempotency_key: key });
    for (const uri of ['db://a?token=x', 'db://b', 'doc://one']) {
      await daemon.post('/v1/resources/read', { resource_id: `s.${uri}` });
    }
    await daemon.post('/v1/prompts/get', { prompt_id: 's.greet' });

    const { value, families } = await scrape(daemon);
    const executions = (kind: string, capability: string, code: string, server = 's') =>
      value('portico_executions_total', { server, capability, kind, code });
    expect(executions('tool', 's.echo', 'OK')).toBe(5);
    expect(executions('tool', 's.fail', 'UPSTREAM_ERROR')).toBe(1);
    expect(executions('tool', 's.denied', 'POLICY_DENIED')).toBe(1);
    expect(executions('tool', 's.gated', 'APPROVAL_PENDING')).toBe(1);
    expect(executions('tool', '', 'TOOL_NOT_FOUND', '')).toBe(1);
    expect(executions('resource', 's.db://{path}', 'OK')).toBe(2);
    expect(executions('resource', 's.doc://one', 'OK')).toBe(1);
    expect(executions('prompt', 's.greet', 'OK')).toBe(1);
    expect(families.get('portico_executions_total')?.samples).toHaveLength(8);

    expect(value('portico_replays_total', { server: 's', kind: 'tool' })).toBe(2);
    const count = (server: string, kind: string) =>
      value('portico_execution_duration_seconds_count', { server, kind }, 'portico_execution_duration_seconds');
    expect([count('s', 'tool'), count('', 'tool'), count('s', 'resource'), count('s', 'prompt')]).toEqual([8, 1, 3, 1]);
    expect(value('portico_approvals_pending')).toBe(1);
    const entries = ['tool', 'resource', 'prompt'].map((kind) => value('portico_catalog_entries', { kind }));
    expect(entries).toEqual([5, 2, 1]);
  });

  it('shows how servers are: circuit, restarts, status', async () => {
    const resilience = { failureThreshold: 1, cooldownMs: 60_000 };
    const upstream = scripted(offered);
    const servers = { s: { ...upstream.server, resilience }, gone: dead };
    const daemon = await startDaemon({ mcpServers: servers });
    await daemon.connected('s');
    await eventually(async () => expect((await daemon.server('gone')).status).toBe('degraded'));
    const before = await scrape(daemon);
    expect(before.value('portico_circuit_state', { server: 's' })).toBe(0);
    expect(before.value('portico_server_restarts_total', { server: 's' })).toBe(0);
    const status = (scraped: typeof before, server: string, name: string) =>
      scraped.value('portico_server_status', { server, status: name });
    expect([status(before, 's', 'connected'), status(before, 's', 'degraded')]).toEqual([1, 0]);
    expect([status(before, 'gone', 'connected'), status(before, 'gone', 'degraded')]).toEqual([0, 1]);

    await daemon.call('s.crash');
    await eventually(async () => {
      const after = await scrape(daemon);
      expect(after.value('portico_circuit_state', { server: 's' })).toBe(2);
      expect(after.value('portico_server_restarts_total', { server: 's' })).toBe(1);
    });
    await daemon.call('s.echo');
    const { value } = await scrape(daemon);
    const refused = { server: 's', capability: 's.echo', kind: 'tool', code: 'CIRCUIT_OPEN' };
    expect(value('portico_executions_total', refused)).toBe(1);
  });

  it('shows what runs and what waits at a server, and so does the list of servers', async () => {
    const { daemon, upstream } = await start();
    const calls = Array.from({ length: 70 }, () => daemon.call('s.held'));
    await eventually(async () => {
      const { value } = await scrape(daemon);
      const now = [value('portico_calls_running', { server: 's' }), value('portico_queue_depth', { server: 's' })];
      expect(now).toEqual([64, 6]);
    });
    expect(await daemon.server('s')).toMatchObject({ running: 64, queued: 6 });
    upstream.release();
    await Promise.all(calls);
    expect(await daemon.server('s')).toMatchObject({ running: 0, queued: 0 });
  });

  it('asks for the token beyond loopback', async () => {
    const config = { mcpServers: {}, authToken: 'a-token' };
    const daemon = await startDaemon(config, { bind: '0.0.0.0' });
    expect((await daemon.get('/metrics')).status).toBe(401);
    expect((await daemon.get('/metrics', { authorization: 'Bearer a-token' })).status).toBe(200);
  });
});

describe('the log', () => {
  const levelsAt = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { server } = scripted(offered);
    const config = { mcpServers: { s: server, gone: dead }, unknown: 1 };
    const daemon = await startDaemonProcess(config, { args: ['--port', '0', ...args], env });
    await daemon.connected('s');
    const { stderr } = await daemon.stop();
    const levels = stderr.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).level]));
    return ['warn', 'info', 'debug'].filter((level) => levels.includes(level));
  };

  it('starts at --log-level, else at RUST_LOG, else at info [daemon-log-level]', async () => {
    const [all, some, few, none] = [['warn', 'info', 'debug'], ['warn', 'info'], ['warn'], []];
    const levels = await Promise.all([
      levelsAt([]),
      levelsAt([], { RUST_LOG: 'warn' }),
      levelsAt([], { RUST_LOG: 'portico=debug,hyper=off' }),
      levelsAt(['--log-level', 'debug'], { RUST_LOG: 'error' }),
      levelsAt(['--log-level', 'trace']),
      levelsAt(['--log-level', 'error']),
    ]);
    expect(levels).toEqual([some, few, some, all, all, none]);
  });
});
