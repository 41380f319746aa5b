// Metrics as text: what was counted before anything was loaded, what is read at each scrape, and nothing of a neighbour.
import type { ExecutionSample } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.js';

const sample: ExecutionSample = {
  server: 's',
  capability: 's.add',
  kind: 'tool',
  code: 'OK',
  channel: 'http',
  isReplay: false,
  durationMs: 3,
};

const linesOf = async (metrics: ReturnType<typeof createMetrics>, start: string) =>
  (await metrics.render()).text.split('\n').filter((line) => line.startsWith(start));

describe('createMetrics', () => {
  it('counts executions, those before the first scrape too', async () => {
    const metrics = createMetrics();
    metrics.executed(sample);
    metrics.executed({ ...sample, isReplay: true, durationMs: 700 });
    expect(await linesOf(metrics, 'portico_executions_total')).toEqual([
      'portico_executions_total{server="s",capability="s.add",kind="tool",code="OK"} 2',
    ]);
    metrics.executed({ ...sample, code: 'INTERNAL_ERROR' });
    expect(await linesOf(metrics, 'portico_executions_total')).toHaveLength(2);
    expect(await linesOf(metrics, 'portico_replays_total')).toEqual([
      'portico_replays_total{server="s",kind="tool"} 1',
    ]);
    const durations = await linesOf(metrics, 'portico_execution_duration_seconds');
    expect(durations).toContain('portico_execution_duration_seconds_bucket{le="0.0025",server="s",kind="tool"} 0');
    expect(durations).toContain('portico_execution_duration_seconds_bucket{le="0.005",server="s",kind="tool"} 2');
    expect(durations).toContain('portico_execution_duration_seconds_count{server="s",kind="tool"} 3');
    expect(durations).toContain('portico_execution_duration_seconds_sum{server="s",kind="tool"} 0.706');
  });

  it('reads observed values at each scrape, and forgets labels without a value', async () => {
    const metrics = createMetrics();
    let depth = 1;
    let servers = ['a', 'b'];
    metrics.observe({ type: 'gauge', name: 'portico_depth', help: 'Depth', read: () => depth });
    metrics.observe({
      type: 'counter',
      name: 'portico_restarts_total',
      help: 'Restarts',
      labels: ['server'],
      read: () => servers.map((server) => ({ labels: { server }, value: 2 })),
    });
    expect(await linesOf(metrics, 'portico_')).toEqual([
      'portico_depth 1',
      'portico_restarts_total{server="a"} 2',
      'portico_restarts_total{server="b"} 2',
    ]);
    depth = 4;
    servers = ['b'];
    expect(await linesOf(metrics, 'portico_')).toEqual(['portico_depth 4', 'portico_restarts_total{server="b"} 2']);
  });

  it('keeps the labels of a value that callers chose on their line', async () => {
    const metrics = createMetrics();
    metrics.executed({ ...sample, capability: 's.a"b\\c\nd' });
    expect(await linesOf(metrics, 'portico_executions_total')).toEqual([
      'portico_executions_total{server="s",capability="s.a\\"b\\\\c\\nd",kind="tool",code="OK"} 1',
    ]);
  });

  it('shares nothing with another host of the process', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.executed(sample);
    expect(await linesOf(other, 'portico_executions_total')).toEqual([]);
    const { contentType, text } = await other.render();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain('process_resident_memory_bytes ');
  });
});
