// The queue of approvals: keys, lines, edits and outcomes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseExact, writeExact } from '@portico/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStore } from '../shell/store.js';
import { diffLines } from './diff-lines.js';
import { editArguments, readEdit } from './edit-arguments.js';
import { followQueue, type QueueClient, sayOutcome } from './follow-queue.js';
import { countdown } from './rows.js';
import { press, type QueueState, riskKeyOf, startAt, startQueue, type Ticket, withTickets } from './state.js';
import { linesBelow, toQueueLines } from './view.js';

const ticket = (id: string, expires_at: number): Ticket => ({
  id,
  kind: 'tool',
  capability_id: `s.${id}`,
  server_id: 's',
  request_id: null,
  client: { name: 'claude-code', version: '2.1' },
  channel: 'stdio',
  rule: 'require_approval:s.*',
  created_at: 0,
  expires_at,
  args: { secret: 'shh', n: 1 },
  sanitized_args: { n: 1 },
  view: {
    arguments: {
      entries: [
        { depth: 0, key: 'n', value: '1', redacted: false },
        { depth: 0, key: 'secret', value: '[REDACTED]', redacted: true },
      ],
      omitted: 0,
      complete: true,
    },
    definition_digest: 'd1',
    description: '"Says it"',
    reasked: false,
    changes: [],
    changes_complete: true,
  },
  status: { status: 'pending' },
});

/** As it is after two looks, so that keys act on the first row. */
const queueOf = (...tickets: readonly Ticket[]) =>
  withTickets(withTickets(startQueue('ada', 100_000), tickets, 100_000), tickets, 101_000);

const queue = queueOf(ticket('late', 400), ticket('soon', 110));
const pressAll = (state: QueueState, ...keys: readonly string[]) =>
  keys.reduce((pressed, key) => press(pressed.state, key), { state } as ReturnType<typeof press>);
const text = (state: QueueState, size = { columns: 80, rows: 12 }) =>
  toQueueLines(state, size).map(({ pieces }) =>
    pieces
      .map((each) => each.text)
      .join('')
      .trimEnd(),
  );

describe('the queue', () => {
  it('shows what expires first on top, what is redacted by its key only', () => {
    expect(text(queue).slice(0, 3)).toEqual([
      'approvals 2 pending, deciding as ada',
      `> 0:09    claude-code wants to run s.soon  n: 1, secret: [REDACTED]`,
      `  4:59    claude-code wants to run s.late  n: 1, secret: [REDACTED]`,
    ]);
    expect(countdown(ticket('x', 90), 100_000)).toBe('0:00');
  });

  it('approves the ticket that was asked about, after a yes', () => {
    const asked = press(queue, 'a');
    expect(asked.wish).toBeUndefined();
    expect(press(asked.state, 'n')).toEqual({ state: queue });
    const grown = withTickets(asked.state, [ticket('first', 101), ...queue.tickets], 101_000);
    expect(press(grown, 'y').wish).toEqual({ kind: 'approve', id: 'soon', args: null, definition: 'd1' });
  });

  it('says how many lines are below the screen, and asks nothing until they were seen', () => {
    const entry = (n: number) => ({ depth: 0, key: `k${n}`, value: '1', redacted: false });
    const before = ticket('long', 400);
    const entries = Array.from({ length: 40 }, (_, n) => entry(n));
    const long = { ...before, view: { ...before.view, arguments: { ...before.view.arguments, entries } } };
    const size = { columns: 120, rows: 20 };
    const asked = press(queueOf(long), 'a').state;
    expect(linesBelow(asked, size)).toBe(27); // a line of description, 40 arguments, room for 14
    expect(text(asked, size).join('\n')).toContain('27 more lines below');
    expect(text(asked, size).join('\n')).not.toContain('y/n');
    const { state } = pressAll(asked, 'page-down', 'page-down', 'page-down');
    expect(linesBelow(state, size)).toBe(0);
    expect(text(state, size).join('\n')).toMatch(/k39: 1[\s\S]*approve and run it as it is/);
  });

  it('shows every argument at the decision, wrapped, and what changed since the ticket was opened', () => {
    const long = { depth: 0, key: 'text', value: `"${'x'.repeat(50)}END"`, redacted: false };
    const before = ticket('wide', 400);
    const wide = {
      ...before,
      view: {
        ...before.view,
        arguments: { ...before.view.arguments, entries: [long] },
        reasked: true,
        changes: [{ what: 'description', before: '"reads"', after: '"pays"' }],
      },
    };
    const asked = press(queueOf(wide), 'a').state;
    const shown = text(asked, { columns: 40, rows: 20 });
    expect(shown).toContain('    - "reads"');
    expect(shown).toContain('    + "pays"');
    expect(shown.join('')).toContain(`${'x'.repeat(50)}END"`);
  });

  it('approves nothing that it cannot show whole', () => {
    const before = ticket('big', 400);
    const big = { ...before, view: { ...before.view, arguments: { ...before.view.arguments, complete: false } } };
    const asked = press(queueOf(big), 'a').state;
    expect(press(asked, 'y').wish).toBeUndefined();
    expect(text(asked, { columns: 120, rows: 20 }).join()).toContain('too large to approve here: use the console');
  });

  it('closes the question of a ticket that left the queue', () => {
    const asked = press(queue, 'a').state;
    expect(withTickets(asked, [ticket('late', 400)], 111_000).mode).toEqual({ kind: 'queue' });
  });

  it.each(['enter', 'a', 'r', 'e'])('acts by %s on no ticket that took the place of another', (key) => {
    const asked = press(queue, 'a').state;
    const others = withTickets(asked, [ticket('late', 400)], 102_000);
    expect(text(others).slice(1, 3)).toEqual([
      '> decided claude-code wants to run s.soon',
      '  4:58    claude-code wants to run s.late  n: 1, secret: [REDACTED]',
    ]);
    const pressed = pressAll(others, 'y', key, 'y');
    expect([pressed.wish, pressed.state.mode]).toEqual([undefined, { kind: 'queue' }]);
    expect(text(press(others, key).state).join()).toContain('it is decided or has expired: j or k selects another one');
    expect(press(press(others, 'j').state, 'a').state.mode).toMatchObject({ kind: 'approve', id: 'late' });
    expect(text(press(others, 'j').state)[1]).toMatch(/^> 4:58 {4}claude-code wants to run s\.late/);
  });

  it('says of a ticket that is being read that it is over, and shows no other in its place', () => {
    const read = press(queue, 'enter').state;
    const at = (nowMs: number) => text(withTickets(read, [ticket('late', 400)], nowMs)).slice(1, 3);
    expect(at(102_000)).toEqual(['claude-code wants to run s.soon', 'soon  decided']);
    expect(at(111_000)).toEqual(['claude-code wants to run s.soon', 'soon  expired']);
  });

  it('acts on no ticket that has just come to an empty queue, until it was looked at again', () => {
    const came = withTickets(withTickets(startQueue('ada', 1000), [], 1000), [ticket('new', 400)], 2000);
    const early = press(came, 'a').state;
    expect([early.mode.kind, text(came)[1]?.slice(0, 2)]).toEqual(['queue', '  ']);
    expect(text(early).join()).toContain('The list has just moved: look again, then press once more');
    const settled = withTickets(early, came.tickets, 3000);
    expect(press(settled, 'a').state.mode).toMatchObject({ kind: 'approve', id: 'new' });
    expect(press(press(came, 'j').state, 'a').state.mode).toMatchObject({ kind: 'approve', id: 'new' });
  });

  it('opens at a ticket that was chosen before, unless it left the queue', () => {
    expect(startAt(queue, { id: 'late', ask: 'approve' }).mode).toMatchObject({ kind: 'approve', id: 'late' });
    expect(startAt(queue, { id: 'late', ask: 'detail' })).toMatchObject({ selected: 'late', mode: { kind: 'detail' } });
    const gone = startAt(queue, { id: 'other', ask: 'approve' });
    expect([gone.mode.kind, gone.notice]).toEqual(['queue', 'other is decided or has expired']);
  });

  it('says who asks, by which rule, and the risk, at each width', () => {
    const risky = { ...queue, risks: new Map([[riskKeyOf(ticket('soon', 110)), ['open-world', 'destructive']]]) };
    const rowAt = (columns: number) => text(risky, { columns, rows: 12 })[1];
    const row = '> 0:09    claude-code wants to run s.soon  destructive, open-world  ';
    expect(rowAt(140)).toBe(`${row}n: 1, secret: [REDACTED]  rule s.* (require approval)`);
    expect(rowAt(120)).toBe(`${row}n: 1, secret: [REDACTE…  rule s.* (require approval)`);
    expect(rowAt(80)).toBe(`${row}n: 1, secret: [REDACTED]`); // what is beyond the edge is not drawn
    const detail = text(press(risky, 'enter').state).slice(1, 4);
    expect(detail).toEqual([
      'claude-code wants to run s.soon',
      'soon  expires in 0:09',
      'destructive, open-world, rule s.* (require approval), asked by claude-code 2.1 o',
    ]);
  });

  it('shows no name of an agent as anything but text', () => {
    const hostile = { ...ticket('soon', 110), client: { name: '\u001b[2J\u202eedoc' } };
    expect(text(queueOf(hostile)).join('\n')).toContain('␛[2J\\u202eedoc wants to run s.soon');
  });

  it('rejects with the reason that was typed, in which no letter is a command', () => {
    expect(pressAll(queue, 'r', 'q', 'y', 'x', 'backspace', 'enter').wish).toEqual({
      kind: 'reject',
      id: 'soon',
      reason: 'qy',
    });
    expect(pressAll(queue, 'r', 'q', 'escape').state).toEqual(queue);
  });

  it('keeps what was typed when it cannot be used', () => {
    const state: QueueState = { ...queue, mode: { kind: 'unusable', id: 'soon', text: '{', problem: 'no' } };
    expect(text(state)).toContain('not usable: no');
    expect(press(state, 'e').wish).toEqual({ kind: 'edit', ticket: ticket('soon', 110), text: '{' });
    expect(press(state, 'escape').state).toEqual(queue);
  });

  it('fits a small terminal', () => {
    expect(text(pressAll(queue, 'enter').state, { columns: 40, rows: 9 })).toHaveLength(9);
    expect(text(queue, { columns: 12, rows: 2 })).toHaveLength(2);
  });
});

/** An environment whose editor replaces a text. */
function editorThatPuts(from: string, to: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'portico-editor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'editor.cjs');
  const replace = `fs.readFileSync(file, 'utf8').replaceAll(${JSON.stringify(from)}, ${JSON.stringify(to)})`;
  writeFileSync(script, `const fs = require('fs'); const file = process.argv[2]; fs.writeFileSync(file, ${replace});`);
  return { VISUAL: `"${process.execPath}" "${script}"` };
}

describe('an edit', () => {
  const before = '{\n  "n": 1\n}\n';

  it('is shown as its difference', () => {
    expect(readEdit(before, '{"n": 1, "m": "\\u001b"}')).toEqual({
      kind: 'edited',
      edited: {
        args: { n: 1, m: '\u001b' },
        text: '{"n": 1, "m": "\\u001b"}',
        diff: [' {', '-  "n": 1', '+  "n": 1,', '+  "m": "\\u001b"', ' }', ' '],
      },
    } satisfies ReturnType<typeof readEdit>);
  });

  it.each([
    ['{"n": 1}', 'unchanged'],
    ['{"n": 1,}', 'unusable'],
    ['', 'unusable'],
    ['[1]', 'unusable'],
  ])('of %s is %s', (typed, kind) => {
    expect(readEdit(before, typed).kind).toBe(kind);
  });

  it.each([
    ['1098765432109876543', '1098765432109876544'],
    ['1098765432109876543', '1098765432109876543.0'],
    ['1e400', '1e401'],
    ['1', '1.0'],
  ])('from %s to %s is a change of that number only', async (from, to) => {
    const args = `{"id":${from},"other":2098765432109876543,"far":1e500}`;
    const done = await editArguments(parseExact(args), null, editorThatPuts(`"id": ${from}`, `"id": ${to}`));
    if (done.kind !== 'edited') throw new Error(`the edit is ${done.kind}`);
    expect(writeExact(done.edited.args)).toBe(args.replace(from, to));
    expect(done.edited.diff).toEqual([
      ' {',
      `-  "id": ${from},`,
      `+  "id": ${to},`,
      '   "other": 2098765432109876543,',
      '   "far": 1e500',
      ' }',
      ' ',
    ]);
  });

  it('treats a text of spaces only as empty, for any number of them', async () => {
    const args = parseExact('{"id":1098765432109876543,"n":1e400}');
    expect(await editArguments(args, null, editorThatPuts('\n', '  '))).toEqual({ kind: 'unchanged' });
  });

  it('is the least that changed', () => {
    expect(diffLines('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
    expect(diffLines('', 'a')).toEqual(['-', '+a']);
  });
});

it('follows all that are pending, however many pages they take', async () => {
  const pending = Array.from({ length: 450 }, (_, at) => ticket(`t${at}`, 400));
  const asked: unknown[] = [];
  const listApprovals: QueueClient['listApprovals'] = async ({ limit = 50, offset = 0 } = {}) => {
    asked.push([limit, offset]);
    return { ok: true, approvals: pending.slice(offset, offset + limit), total: pending.length };
  };
  const end = new AbortController();
  const store = createStore(startQueue('ada', 100_000));
  const client = { listApprovals } as QueueClient; // nothing else is asked for
  const onArrival = () => end.abort();
  await followQueue({ client, store, signal: end.signal, intervalMs: 1, onArrival, isOurs: () => false });
  expect(store.get().tickets).toHaveLength(450);
  expect(asked).toEqual([
    [200, 0],
    [200, 200],
    [200, 400],
  ]);
});

it('says who decided, and why', () => {
  const { id, capability_id } = ticket('t', 1);
  const status = { status: 'rejected', operator: 'bob', reason: 'no' } as const;
  expect(sayOutcome({ id, capability_id, status })).toBe('rejected by bob: no  s.t  t');
  expect(sayOutcome({ id, capability_id, status: { status: 'expired' } })).toBe('expired  s.t  t');
});
