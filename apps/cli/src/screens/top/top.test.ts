// Rates, keys and lines of `top`.
import type { ServerInfo } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import type { Line } from '../shell/lines.js';
import { toChange } from './follow-daemon.js';
import { parseCounts } from './metrics-text.js';
import { toJsonLines, toTable } from './print-top.js';
import { addChange, press, startTop, type TopState } from './state.js';
import { columnsFor } from './table.js';
import { addSample, type Sample, trafficOf } from './traffic.js';
import { toTopLines } from './view.js';

const server = (id: string, rest: Partial<ServerInfo> = {}): ServerInfo => ({
  id,
  transport: 'stdio',
  status: 'connected',
  protocol_version: '2025-11-25',
  restarts: 0,
  queued: 0,
  running: 0,
  tools: 1,
  resources: 0,
  prompts: 0,
  circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
  ...rest,
});

const metrics = (calls: number, failed: number, fast: number) => `# TYPE portico_executions_total counter
portico_executions_total{server="a",capability="a.\\"x\\"",kind="tool",code="OK"} ${calls}
portico_executions_total{server="a",capability="a.y",kind="tool",code="UPSTREAM_ERROR"} ${failed}
portico_executions_total{server="a",capability="a.z",kind="tool",code="APPROVAL_PENDING"} 0
portico_execution_duration_seconds_bucket{le="0.01",server="a",kind="tool"} ${fast}
portico_execution_duration_seconds_bucket{le="0.5",server="a",kind="tool"} ${calls + failed}
portico_execution_duration_seconds_bucket{le="+Inf",server="a",kind="tool"} ${calls + failed}
process_cpu_seconds_total 3
`;

const sample = (atMs: number, calls: number, failed = 0, fast = calls): Sample => ({
  atMs,
  servers: [server('a'), server('b', { status: 'disabled', given_up: true, last_error: 'gone\u001b[2J' })],
  approvalsPending: 2,
  counts: parseCounts(metrics(calls, failed, fast)),
  calls: null,
});

const text = (lines: readonly Line[]) =>
  lines.map(({ pieces }) =>
    pieces
      .map((each) => each.text)
      .join('')
      .trimEnd(),
  );

describe('traffic', () => {
  it('comes from the difference of the first and the last sample', () => {
    const samples = addSample([sample(1000, 10, 0, 10)], sample(3000, 18, 2, 14));
    const traffic = { callsPerSecond: 5, failedPerSecond: 1, p50Ms: 500, p95Ms: 500 };
    expect(trafficOf(samples)).toEqual(traffic);
    expect(trafficOf(samples, 'a')).toEqual(traffic);
    expect(trafficOf(samples, 'b')).toEqual({ callsPerSecond: 0, failedPerSecond: 0, p50Ms: null, p95Ms: null });
    expect(trafficOf([sample(0, 0), sample(1000, 4)])).toMatchObject({ p50Ms: 10, p95Ms: 10 });
  });

  it('is unknown by one sample, and where the metrics may not be read', () => {
    expect(trafficOf([sample(0, 1)])).toBeNull();
    expect(
      trafficOf([
        { ...sample(0, 1), counts: null },
        { ...sample(1, 1), counts: null },
      ]),
    ).toBeNull();
  });

  it('starts anew with a new daemon, and forgets what is too old', () => {
    expect(addSample([sample(0, 100)], sample(1000, 1))).toHaveLength(1);
    const many = Array.from({ length: 30 }, (_, at) => sample(at * 1000, at));
    expect(many.reduce(addSample, [] as readonly Sample[])).toHaveLength(11);
  });
});

const start = startTop('http://d', sample(0, 0));

describe('keys of top', () => {
  it('move within the list, and ask before a restart', () => {
    expect(press(press(start, 'down').state, 'j').state.selected).toBe('b');
    expect(press(start, 'k').state.selected).toBe('a');
    const asked = press(start, 'r');
    expect([asked.wish, asked.state.view]).toEqual([undefined, { kind: 'restart', server: 'a' }]);
    expect(press(asked.state, 'n')).toEqual({ state: start });
    expect(press(asked.state, 'y').wish).toEqual({ kind: 'restart', server: 'a' });
  });

  it.each([
    ['q', { kind: 'quit' }],
    ['interrupt', { kind: 'quit' }],
    ['a', { kind: 'approvals' }],
    ['l', { kind: 'logs', server: 'a' }],
    ['x', undefined],
  ])('%s wishes for %o', (key, wish) => {
    expect(press(start, key).wish).toEqual(wish);
  });

  it.each(['q', 'escape', 'x'])('leave the help by %s, as it says', (key) => {
    const help = press(start, '?').state;
    expect(text(toTopLines(help, { columns: 80, rows: 14 })).at(-1)).toBe('any key goes back, Ctrl-C quits');
    expect(press(help, key)).toEqual({ state: start });
    expect(press(help, 'interrupt').wish).toEqual({ kind: 'quit' });
  });

  it('scroll a log from its end', () => {
    const lines = Array.from({ length: 50 }, (_, at) => ({
      timestamp: '2026-01-01T10:00:00.000Z',
      text: `line ${at}`,
    }));
    const shown: TopState = { ...start, view: { kind: 'logs', server: 'a', lines, back: 0 } };
    const size = { columns: 80, rows: 6 };
    expect(text(toTopLines(shown, size))[4]).toBe('10:00:00 line 49');
    expect(text(toTopLines(press(shown, 'page-up').state, size))[4]).toBe('10:00:00 line 39');
    expect(press(shown, 'escape').state.view).toEqual({ kind: 'servers' });
  });
});

describe('the lines of top', () => {
  it('say the same without colours, and obey no escape', () => {
    const change = toChange({ event: 'catalog_changed', data: { servers: ['a', 'b'] } }, new Date(2026, 0, 1, 9, 5, 7));
    const state = addChange({ ...start, selected: 'b', samples: [sample(0, 0), sample(1000, 2)] }, change);
    const lines = text(toTopLines(state, { columns: 100, rows: 12 }));
    expect(lines[0]).toBe('portico top http://d');
    expect(lines[1]).toBe('1/2 connected  2 approvals pending  2.0 calls/s, 0.0 failed/s  p50 ≤10ms p95 ≤10ms');
    expect(lines[4]).toMatch(/^> b +crashed {2,}[-\d]/);
    expect(lines[5]).toBe('  last error: gone␛[2J');
    expect(lines[8]).toBe('  09:05:07 catalog changed: a, b');
    expect(lines).toHaveLength(12);
  });

  it('have the last calls with their agents, and cut none of their ids', () => {
    const capability_id = `a.${'long-'.repeat(20)}name`;
    const calls: Sample['calls'] = [
      {
        id: 'aud-000000000001',
        timestamp: new Date(2026, 0, 1, 9, 5, 7).toISOString(),
        event_type: 'tool_call',
        status: 'failed',
        client: { name: 'claude-code', version: '2.1' },
        capability_id,
        error_code: 'UPSTREAM_ERROR',
        duration_us: 1500,
      },
    ];
    const lines = text(toTopLines({ ...start, samples: [{ ...sample(0, 0), calls }] }, { columns: 200, rows: 14 }));
    const agent = 'claude-code 2.1'.padEnd(24);
    const at = lines.indexOf('  LAST CALLS');
    expect(lines[at + 1]).toBe(`  09:05:07 ${agent} ${capability_id} UPSTREAM_ERROR 1.5 ms`);
  });

  it('leave out what there is no room for, and keep the selected server', () => {
    expect(columnsFor(38, []).map(({ title }) => title)).toEqual(['SERVER', 'STATUS', 'CIRCUIT']);
    const long = 'the-server-of-a-very-long-name';
    expect(columnsFor(38, [server(long)]).map(({ title, width }) => [title, width])).toEqual([['SERVER', 30]]);
    const named: TopState = { ...start, samples: [{ ...sample(0, 0), servers: [server(long)] }] };
    expect(text(toTopLines(named, { columns: 60, rows: 9 }))).toContainEqual(
      expect.stringContaining(`> ${long} connected`),
    );
    const servers = Array.from({ length: 40 }, (_, at) => server(`s${at}`));
    const many: TopState = { ...start, samples: [{ ...sample(0, 0), servers }], selected: 's30' };
    const lines = text(toTopLines(many, { columns: 40, rows: 9 }));
    expect(lines).toHaveLength(9);
    expect(lines.some((each) => each.startsWith('> s30'))).toBe(true);
    expect(text(toTopLines(many, { columns: 10, rows: 1 }))).toHaveLength(1);
  });

  it('are a table, or JSON lines, in a pipe', () => {
    const samples = [sample(0, 0), sample(1000, 2)];
    expect(toTable(samples).split('\n')[2]).toMatch(/^b +crashed .*gone␛\[2J$/);
    const [total, a] = toJsonLines(samples)
      .split('\n')
      .filter(Boolean)
      .map((each) => JSON.parse(each));
    expect(total).toEqual({
      kind: 'total',
      servers: 2,
      approvals_pending: 2,
      calls_per_second: 2,
      failed_per_second: 0,
      p50_ms: 10,
      p95_ms: 10,
    });
    expect(a).toMatchObject({ kind: 'server', id: 'a', status: 'connected', calls_per_second: 2 });
  });
});
