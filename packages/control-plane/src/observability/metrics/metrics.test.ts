// The labels of executions, and the values of the plane at a scrape.
import { createManualClock, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { Target } from '../../call/target.js';
import { caller, connectPlane, correlation, hang, startPlane, tool } from '../../testing/start-plane.js';
import { createExecutionCounter } from './count-executions.js';
import { createMemoryMetrics, noMetrics } from './metrics.js';

const offered = {
  definitions: {
    tools: [tool('add'), tool('gated'), tool('hidden')],
    resourceTemplates: [{ uriTemplate: 'db://{path}?token={token}', name: 'rows' }],
    resources: [{ uri: 'doc://one', name: 'one' }],
    prompts: [{ name: 'greet' }],
  },
};

describe('executions', () => {
  it('count by server, entry, kind and code', async () => {
    const policy = { requireApproval: ['s.gated'], deny: ['s.hidden'] };
    const { execute, metrics, clock } = await connectPlane({ s: offered }, { policy });
    await execute({ kind: 'tool', id: 's.add', idempotencyKey: 'k' });
    await execute({ kind: 'tool', id: 's.add', idempotencyKey: 'k' });
    await execute({ kind: 'tool', id: 's.gated' });
    await execute({ kind: 'tool', id: 's.hidden' });
    await execute({ kind: 'tool', id: 's.nothing' });
    await execute({ kind: 'tool', id: 'nowhere.add' });
    await execute({ kind: 'resource', id: 's.doc://one' });
    await execute({ kind: 'resource', id: 's.db://a?token=secret' });
    await execute({ kind: 'prompt', id: 's.greet' });
    await clock.advance(0);
    const shown = metrics.executions().map(({ server, capability, kind, code, isReplay, durationMs }) => {
      return [server, capability, kind, code, isReplay, durationMs];
    });
    expect(shown).toEqual([
      ['s', 's.add', 'tool', 'OK', false, 0],
      ['s', 's.add', 'tool', 'OK', true, 0],
      ['s', 's.gated', 'tool', 'APPROVAL_PENDING', false, 0],
      ['s', 's.hidden', 'tool', 'POLICY_DENIED', false, 0],
      ['', '', 'tool', 'TOOL_NOT_FOUND', false, 0],
      ['', '', 'tool', 'TOOL_NOT_FOUND', false, 0],
      ['s', 's.doc://one', 'resource', 'OK', false, 0],
      ['s', 's.db://{path}?token=[REDACTED]', 'resource', 'OK', false, 0],
      ['s', 's.greet', 'prompt', 'OK', false, 0],
    ]);
  });

  it('take as long as their caller waits', async () => {
    const { execute, metrics, clock } = await connectPlane({ s: { ...offered, handle: hang } }, { toolTimeoutMs: 700 });
    const call = execute({ kind: 'tool', id: 's.add' });
    await clock.advance(700);
    await call;
    expect(metrics.executions()).toMatchObject([{ code: 'UPSTREAM_TIMEOUT', durationMs: 700 }]);
  });

  it('of a server with unread lists name no entry', async () => {
    const { execute, metrics } = startPlane({ s: { onConnect: hang } });
    await execute({ kind: 'tool', id: 's.anything at all' });
    expect(metrics.executions()).toMatchObject([{ server: 's', capability: '', code: 'SERVER_UNREACHABLE' }]);
  });

  it('beyond the limit count as other, while those known keep their name', () => {
    const metrics = createMemoryMetrics();
    const { count } = createExecutionCounter(metrics, createManualClock(), 2);
    const { state } = startPlane({}).plane;
    const envelope = { ok: true } as const;
    for (const entry of ['s.a', 's.b', 's.c', 's.a', 's.d']) {
      const target: Target = { kind: 'tool', server: 's', id: entry, entry, name: entry, names: [[entry]] };
      const head = { request_id: null, trace_id: '', data: null, error: null } as const;
      const retry = { classification: 'safe', upstream_execution_state: 'completed' } as const;
      const outcome = { kind: 'answered', envelope: { ...envelope, ...head, retry } } as const;
      count({ state: state(), call: { kind: 'tool', id: 's.a', correlation, caller }, target }, outcome, 1);
    }
    expect(metrics.executions().map(({ capability }) => capability)).toEqual(['s.a', 's.b', 'other', 's.a', 'other']);
  });
});

describe('the plane', () => {
  it('shows its servers, tickets and catalog', async () => {
    const refuse = () => {
      throw new UpstreamFailure('cannot start', { kind: 'unreachable', sent: false });
    };
    const resilience = { failureThreshold: 1 };
    const { metrics, execute, server } = await connectPlane(
      { s: offered, gone: { onConnect: refuse } },
      { policy: { requireApproval: ['s.gated'] }, resilience },
    );
    await execute({ kind: 'tool', id: 's.gated' });
    await execute({ kind: 'tool', id: 'gone.x' });
    expect(metrics.read('portico_circuit_state')).toEqual([
      { labels: { server: 's' }, value: 0 },
      { labels: { server: 'gone' }, value: 2 },
    ]);
    const status = metrics.read('portico_server_status');
    expect(Array.isArray(status) && status.filter(({ value }) => value === 1).map(({ labels }) => labels)).toEqual([
      { server: 's', status: 'connected' },
      { server: 'gone', status: 'degraded' },
    ]);
    expect(metrics.read('portico_approvals_pending')).toBe(1);
    expect(metrics.read('portico_catalog_entries')).toEqual([
      { labels: { kind: 'tool' }, value: 3 },
      { labels: { kind: 'resource' }, value: 2 },
      { labels: { kind: 'prompt' }, value: 1 },
    ]);
    expect(server('s').connects()).toBe(1);
  });

  it('shows what runs, what waits and what was restarted', async () => {
    const { metrics, execute, clock, server } = await connectPlane({ s: { ...offered, handle: hang } });
    const calls = Array.from({ length: 66 }, () => execute({ kind: 'tool', id: 's.add' }));
    await clock.advance(0);
    const ofServer = (value: number) => [{ labels: { server: 's' }, value }];
    expect(metrics.read('portico_calls_running')).toEqual(ofServer(64));
    expect(metrics.read('portico_queue_depth')).toEqual(ofServer(2));
    server('s').drop('crashed');
    await clock.advance(500);
    expect(metrics.read('portico_server_restarts_total')).toEqual(ofServer(1));
    await clock.advance(20_000);
    await Promise.all(calls);
  });
});

describe('metrics', () => {
  it('in memory have each name once', () => {
    const metrics = createMemoryMetrics();
    const depth = { type: 'gauge', name: 'portico_depth', help: 'Depth', read: () => 1 } as const;
    metrics.observe(depth);
    expect(metrics.read('portico_depth')).toBe(1);
    expect(() => metrics.observe(depth)).toThrow('there is a metric "portico_depth" already');
    expect(() => metrics.read('portico_other')).toThrow('there is no metric "portico_other"');
    expect(() => noMetrics.observe(depth)).not.toThrow();
  });
});
