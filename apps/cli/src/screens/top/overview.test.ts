// The text of `top` about needs and calls, in the words of the console, at each width; and the effect of keys.
import { type LockNeeds, type RecentCall, type ServerInfo, toEventText } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import type { Ticket } from '../approvals/state.js';
import type { Line } from '../shell/lines.js';
import { addCall, press, startTop, type TopState } from './state.js';
import { toTopLines } from './view.js';

const nowMs = Date.parse('2026-01-01T10:00:00Z');
const nowSecs = nowMs / 1000;

const call = (id: number, rest: Partial<RecentCall> = {}): RecentCall => ({
  id: `aud-${String(id).padStart(12, '0')}`,
  timestamp: new Date(nowMs - id * 1000).toISOString(),
  event_type: 'tool_call',
  status: 'success',
  client: { name: 'claude-code', version: '2.1' },
  capability_id: 'files.read_text_file',
  arguments: '{"path":"/srv/app/readme.md"}',
  duration_us: 4000,
  ...rest,
});

const ticket = (id: string, expiresIn: number, rest: Partial<Ticket> = {}): Ticket => ({
  id,
  kind: 'tool',
  capability_id: 'flaky.drop_table',
  server_id: 'flaky',
  request_id: null,
  client: { name: 'claude-code' },
  rule: 'require_approval:flaky.drop_*',
  created_at: 0,
  expires_at: nowSecs + expiresIn,
  args: {},
  sanitized_args: {},
  view: {
    arguments: { entries: [{ depth: 0, key: 'table', value: '"users"', redacted: false }], omitted: 0, complete: true },
    definition_digest: 'd1',
    description: null,
    reasked: false,
    changes: [],
    changes_complete: true,
  },
  status: { status: 'pending' },
  ...rest,
});

const server = (id: string, rest: Partial<ServerInfo> = {}): ServerInfo => ({
  id,
  transport: 'stdio',
  status: 'connected',
  protocol_version: null,
  restarts: 0,
  queued: 0,
  running: 0,
  tools: 1,
  resources: 0,
  prompts: 0,
  circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
  ...rest,
});

interface Found {
  readonly tickets?: readonly Ticket[];
  readonly calls?: readonly RecentCall[] | null;
  readonly servers?: readonly ServerInfo[];
  readonly isAdmin?: boolean;
}

function overview({ tickets = [], calls = [], servers = [server('files')], isAdmin = true }: Found): TopState {
  const waiting = {
    tickets,
    ticketCount: tickets.length,
    questions: [
      {
        task_id: 'task-1',
        status: 'input_required' as const,
        capability_id: 'linear.create',
        request_id: null,
        client: { name: 'cursor' },
        created_at: 0,
        updated_at: 0,
        ttl_ms: 1,
        poll_interval_ms: 1,
      },
    ],
    requests: [],
  };
  const first = { atMs: 0, servers, waiting, counts: isAdmin ? new Map() : null };
  return startTop('http://d', first, calls, nowMs);
}

const text = (lines: readonly Line[]) =>
  lines.map(({ pieces }) =>
    pieces
      .map((each) => each.text)
      .join('')
      .trimEnd(),
  );
const linesOf = (state: TopState, columns = 120, rows = 30) => text(toTopLines(state, { columns, rows }));
const pressAll = (state: TopState, ...keys: readonly string[]) =>
  keys.reduce((pressed, key) => press(pressed.state, key), { state } as ReturnType<typeof press>);

const crashed = server('github', {
  status: 'disabled',
  given_up: true,
  restarts: 5,
  last_error: 'GITHUB_TOKEN is not set',
});
const login = server('docs', { status: 'degraded', login_url: 'https://login.example' });

describe('the overview', () => {
  it('says what needs a person first, then the last calls, then the servers, the worst first', () => {
    const tickets = [ticket('late', 278), ticket('soon', 31)]; // newest first, as the service lists them
    const calls = [
      call(12),
      call(14, { status: 'denied', event_type: 'policy_violation', rule: 'deny:files.*', error_code: 'POLICY_DENIED' }),
      call(90, { status: 'failed', error_code: 'TOOL_ERROR', arguments: '{}' }),
    ];
    const lines = linesOf(overview({ tickets, calls, servers: [server('files'), login, crashed] }), 140);
    expect(lines.slice(1)).toEqual([
      '1 of 3 servers working  2 waiting for approval  - calls/s, - failed/s  p50 - p95 -',
      'NEEDS YOU (5)',
      '  0:31    claude-code wants to run flaky.drop_table  table: "users"  rule flaky.drop_* (require approval)',
      '  4:38    claude-code wants to run flaky.drop_table  table: "users"  rule flaky.drop_* (require approval)',
      '          cursor is asked by linear.create  The call waits as a task for an answer.',
      '          Server docs waits until you log in',
      '          Server github crashed 5 times: GITHUB_TOKEN is not set',
      '',
      'ACTIVITY',
      '  12 s ago   claude-code called files.read_text_file  {"path":"/srv/app/readme.md"}  done 4 ms',
      '  14 s ago   claude-code called files.read_text_file  {"path":"/srv/app/readme.md"}  refused by rule files.* (deny) 4 ms',
      '  1 min ago  claude-code called files.read_text_file  failed: TOOL_ERROR 4 ms',
      '',
      'SERVERS: 1 of 3 working',
      expect.stringMatching(/^ {2}SERVER +STATUS/),
      expect.stringMatching(/^> docs +degraded/),
      expect.stringMatching(/^ {2}github +crashed/),
      expect.stringMatching(/^ {2}files +connected/),
      ...Array.from({ length: 10 }, () => ''),
      'q quit  enter open  a approve  r reject, restart  l log  ? help',
    ]);
  });

  it('says what the lock holds, and where everything is held for it', () => {
    const withLock = (lock: LockNeeds): TopState => {
      const state = overview({});
      const [first] = state.samples as [TopState['samples'][number]]; // a state has one at least
      return { ...state, samples: [{ ...first, waiting: { ...first.waiting, questions: [], lock } }] };
    };
    const held = { id: 'bank', mode: 'enforce', locked: true, drifts: 2, held: 2, wholly_held: false } as const;
    const state = withLock({ held: [held] });
    expect(linesOf(state).slice(2, 4)).toEqual([
      'NEEDS YOU (1)',
      '          Server bank has 2 definitions that are held until you accept them',
    ]);
    expect(press({ ...state, selected: 'held bank' }, 'enter').state.notice).toBe(
      'review it with: portico lock diff --server bank',
    );
    const broken = withLock({ fault: 'line 1 is a conflict of a merge', held: [] });
    expect(linesOf(broken)[3]).toBe(
      '          The lock cannot be used, and everything is held: line 1 is a conflict of a merge',
    );
    expect(press({ ...broken, selected: 'lock' }, 'enter').state.notice).toContain('portico lock verify');
  });

  it('says in one line that nothing needs a person', () => {
    const state = overview({});
    const none = { ...state.samples[0], waiting: { tickets: [], ticketCount: 0, questions: [], requests: [] } };
    const lines = linesOf({ ...state, samples: [none as TopState['samples'][number]] });
    expect(lines.slice(2, 6)).toEqual(['Nothing needs you.', '', 'ACTIVITY', '  Nothing was called yet.']);
  });

  it.each([60, 80, 100, 140])('has every id whole, and an outcome, at %d columns', (columns) => {
    const who = { client: { name: 'an-agent-with-quite-a-long-name', version: '1' } };
    const failed = call(12, { ...who, status: 'failed', error_code: 'TIMEOUT' });
    const row = linesOf(overview({ calls: [failed] }), columns).find((line) => line.includes(' called ')) ?? '';
    expect(row).toContain(' called files.read_text_file  ');
    expect(row).toContain(toEventText(failed).outcome.slice(0, 8));
    expect(row.length).toBeLessThanOrEqual(columns);
    expect(row.includes('an-agent-with-quite-a-long-name')).toBe(columns >= 100);
  });

  it('cuts the end of a long outcome before the time', () => {
    const waits = call(12, { event_type: 'approval_created', status: 'intercepted', rule: 'require_approval:files.*' });
    const [row] = linesOf(overview({ calls: [waits] }), 90).filter((line) => line.includes('asks to run'));
    expect(row).toBe('  12 s ago   claude-code asks to run files.read_text_file  waiting for approval, rule fil…');
  });

  it('keeps something of each part on a small screen', () => {
    const lines = linesOf(overview({ tickets: [ticket('t', 9)], calls: [call(1), call(2)] }), 40, 12);
    expect(lines).toHaveLength(12);
    for (const part of ['NEEDS YOU (2)', 'ACTIVITY', 'SERVERS: 1 of 1 working']) expect(lines).toContain(part);
  });

  it('shows names, arguments and errors of others as text only', () => {
    const evil = '\u001b[2J\u202e\u0007\u200b';
    const calls = [call(1, { client: { name: evil }, capability_id: `x.${evil}`, arguments: evil, error_code: evil })];
    const tickets = [ticket('t', 9, { client: { name: evil }, capability_id: evil, rule: `deny:${evil}` })];
    const servers = [server(evil, { status: 'disabled', given_up: true, last_error: evil })];
    const shown = linesOf(overview({ calls, tickets, servers }), 400).join('');
    expect(shown).toContain('␛[2J\\u202e␇\\u200b wants to run ␛[2J');
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('leaves out calls that the role may not read', () => {
    const changes = [{ at: '10:00:00', text: 'catalog changed: a' }];
    const state = { ...overview({ calls: null }), changes, selected: null };
    expect(linesOf(state)).not.toContain('ACTIVITY');
    expect(linesOf(state, 80, 9)).toContain('SERVERS: 1 of 1 working');
    expect(linesOf(state, 80, 9)).not.toContain('RECENT CHANGES');
  });
});

describe('keys on a row', () => {
  const state = overview({
    tickets: [ticket('late', 278), ticket('soon', 31)],
    calls: [call(12)],
    servers: [crashed, login],
  });

  it.each([
    [['g', 'a'], { kind: 'approvals', start: { id: 'soon', ask: 'approve' } }],
    [['g', 'r'], { kind: 'approvals', start: { id: 'soon', ask: 'reject' } }],
    [['g', 'j', 'enter'], { kind: 'approvals', start: { id: 'late', ask: 'detail' } }],
    [['a'], { kind: 'approvals' }],
    [['g', 'page-down', 'page-up', 'j', 'j', 'j', 'j', 'j', 'enter'], { kind: 'why', id: 'aud-000000000012' }],
    [['g', 'j', 'j', 'j', 'j', 'l'], { kind: 'logs', server: 'github' }],
  ] as const)('%j wish for %o', (keys, wish) => {
    expect(pressAll(state, ...keys).wish).toEqual(wish);
  });

  it.each([
    [['g', 'j', 'j', 'enter'], 'answer it with: portico tasks respond task-1'],
    [['g', 'j', 'j', 'j', 'enter'], 'log in with: portico server login docs'],
  ])('%j say what to do', (keys, notice) => {
    const pressed = pressAll(state, ...keys);
    expect([pressed.wish, pressed.state.notice]).toEqual([undefined, notice]);
    expect(linesOf(pressed.state).at(-2)).toBe(notice);
  });

  it('never act on what took the place of the selected row', () => {
    const chosen = press(state, 'g').state;
    const gone = { ...chosen, samples: overview({ tickets: [ticket('late', 278)] }).samples };
    expect(pressAll(gone, 'r')).toMatchObject({ state: { notice: 'j or k selects a row first' } });
    expect(pressAll(gone, 'a').wish).toEqual({ kind: 'approvals' }); // the list, and no ticket
    expect(linesOf(gone).filter((line) => line.startsWith('>'))).toEqual([]);
    const grown = addCall(pressAll(state, 'g', 'j', 'j', 'j', 'j', 'j').state, call(1));
    expect(press(grown, 'enter').wish).toEqual({ kind: 'why', id: 'aud-000000000012' });
  });

  it('do not decide for a role that may not', () => {
    const reader = press(overview({ tickets: [ticket('soon', 31)], isAdmin: false }), 'g').state;
    for (const key of ['a', 'r'])
      expect(press(reader, key)).toMatchObject({
        state: { notice: 'it waits for an administrator: this role may not decide' },
      });
    expect(press(reader, 'enter').wish).toMatchObject({ start: { id: 'soon', ask: 'detail' } });
  });

  it('scroll an explanation, and leave it', () => {
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
    const shown: TopState = { ...state, view: { kind: 'why', id: 'aud-1', lines, from: 0 } };
    expect(linesOf(shown, 80, 6).slice(0, 2)).toEqual(['why aud-1 ended as it did', 'line 0']);
    expect(linesOf(press(shown, 'page-down').state, 80, 6)[1]).toBe('line 10');
    expect(press(shown, 'q').state.view).toEqual({ kind: 'overview' });
    expect(linesOf({ ...shown, view: { ...shown.view, lines: null } as TopState['view'] }, 80, 6)[1]).toBe('looking …');
  });
});
