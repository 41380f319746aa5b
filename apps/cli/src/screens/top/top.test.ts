// Rates, keys and lines of `top`.
import type { RecentCall, ServerInfo } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import type { Line } from '../shell/lines.js';
import { toChange } from './follow-daemon.js';
import { parseCounts } from './metrics-text.js';
import { toJsonLines, toText } from './print-top.js';
import { serverKey } from './rows.js';
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
  waiting: { tickets: [], ticketCount: 2, questions: [], requests: [] },
  counts: parseCounts(metrics(calls, failed, fast)),
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

  it('starts again with a new daemon, and drops samples that are too old', () => {
    expect(addSample([sample(0, 100)], sample(1000, 1))).toHaveLength(1);
    const many = Array.from({ length: 30 }, (_, at) => sample(at * 1000, at));
    expect(many.reduce(addSample, [] as readonly Sample[])).toHaveLength(11);
  });
});

const call = (rest: Partial<RecentCall>): RecentCall => ({
  id: 'aud-000000000001',
  timestamp: '2026-01-01T09:59:48Z',
  event_type: 'tool_call',
  status: 'success',
  client: { name: 'claude-code', version: '2.1' },
  capability_id: 'a.x',
  duration_us: 12_400,
  ...rest,
});

const nowMs = Date.parse('2026-01-01T10:00:00Z');
const start: TopState = { ...startTop('http://d', sample(0, 0), null, nowMs), selected: serverKey('a') };

describe('keys of top', () => {
  it('move within the list, and ask before a restart', () => {
    const selectedAfter = (...keys: readonly string[]) =>
      keys.reduce((state, key) => press(state, key).state, start).selected;
    expect(startTop('http://d', sample(0, 0), null, nowMs).selected).toBe('server b'); // it crashed
    expect(selectedAfter('down', 'j')).toBe('server a');
    expect(selectedAfter('k')).toBe('server b');
    expect(selectedAfter('k', 'up', 'up')).toBe('crash b');
    expect([selectedAfter('g'), selectedAfter('g', 'G')]).toEqual(['crash b', 'server a']);
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
    ['enter', { kind: 'logs', server: 'a' }],
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
    expect(press(shown, 'escape').state.view).toEqual({ kind: 'overview' });
  });
});

describe('the lines of top', () => {
  it('say the same without colours, and obey no escape', () => {
    const change = toChange({ event: 'catalog_changed', data: { servers: ['a', 'b'] } }, new Date(2026, 0, 1, 9, 5, 7));
    const state = addChange({ ...start, selected: serverKey('b'), samples: [sample(0, 0), sample(1000, 2)] }, change);
    const lines = text(toTopLines(state, { columns: 100, rows: 16 }));
    expect(lines.slice(0, 5)).toEqual([
      'portico top http://d',
      '1 of 2 servers working  2 waiting for approval  2.0 calls/s, 0.0 failed/s  p50 ≤10ms p95 ≤10ms',
      'NEEDS YOU (3)',
      '          Server b crashed: gone␛[2J',
      '',
    ]);
    expect(lines[5]).toBe('SERVERS: 1 of 2 working');
    expect(lines[7]).toMatch(/^> b +crashed {2,}[-\d]/);
    expect(lines[8]).toBe('  last error: gone␛[2J');
    expect(lines.slice(11, 13)).toEqual(['RECENT CHANGES', '  09:05:07 catalog changed: a, b']);
    expect(lines).toHaveLength(16);
  });

  it('leave out what there is no room for, and keep what is selected', () => {
    expect(columnsFor(38, []).map(({ title }) => title)).toEqual(['SERVER', 'STATUS', 'CIRCUIT']);
    const long = 'the-server-of-a-very-long-name';
    expect(columnsFor(38, [server(long)]).map(({ title, width }) => [title, width])).toEqual([['SERVER', 30]]);
    const servers = Array.from({ length: 40 }, (_, at) => server(`s${String(at).padStart(2, '0')}`));
    const many: TopState = { ...start, samples: [{ ...sample(0, 0), servers }], selected: serverKey('s30') };
    const lines = text(toTopLines(many, { columns: 40, rows: 9 }));
    expect(lines).toHaveLength(9);
    expect(lines.some((each) => each.startsWith('> s30'))).toBe(true);
    expect(lines).toContain('Nothing needs you.');
    expect(text(toTopLines(many, { columns: 10, rows: 1 }))).toHaveLength(1);
  });

  it('are the whole overview, or JSON lines, in a pipe', () => {
    const state = { ...start, calls: [call({})], samples: [sample(0, 0), sample(1000, 2)] };
    expect(toText(state)).toMatch(
      /\nACTIVITY\n {2}12 s ago[\s\S]*\nSERVERS: 1 of 2 working\n[\s\S]*\n {2}b +crashed .*gone␛\[2J\n/,
    );
    expect(
      toText(state, 40)
        .split('\n')
        .every((each) => each.length <= 40),
    ).toBe(true);
    const records = toJsonLines(state)
      .split('\n')
      .filter(Boolean)
      .map((each) => JSON.parse(each));
    expect(records.map(({ kind, id }) => [kind, id])).toEqual([
      ['total', undefined],
      ['need', 'b'],
      ['call', 'aud-000000000001'],
      ['server', 'a'],
      ['server', 'b'],
    ]);
    expect(records[0]).toEqual({
      kind: 'total',
      servers: 2,
      approvals_pending: 2,
      calls_per_second: 2,
      failed_per_second: 0,
      p50_ms: 10,
      p95_ms: 10,
    });
    expect(records[3]).toMatchObject({ kind: 'server', id: 'a', status: 'connected', calls_per_second: 2 });
  });
});
