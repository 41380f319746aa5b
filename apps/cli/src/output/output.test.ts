import { parseExact } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { createOutput, type Sink } from './output.js';
import { toPlainBlock, toPlainCell, toPlainJson } from './plain-text.js';
import { type Column, toTable } from './table.js';

function recorder(terminal: Partial<Sink> = {}) {
  const written: string[] = [];
  const sink: Sink = { ...terminal, write: (text) => written.push(text.toString()) };
  return { sink, text: () => written.join('') };
}

function open(terminal: Partial<Sink>, env: Record<string, string> = {}, json = false) {
  const [stdout, stderr] = [recorder(terminal), recorder(terminal)];
  return {
    ...createOutput({ stdout: stdout.sink, stderr: stderr.sink, env, toTable, json }),
    out: stdout.text,
    err: stderr.text,
  };
}

interface Row {
  readonly id: string;
  readonly text: string | null;
}

const columns: readonly Column<Row>[] = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'TEXT', cell: ({ text }) => text },
];

describe('a table', () => {
  it('is aligned by what a terminal shows', () => {
    const rows = [
      { id: '日本', text: 'a\nb' },
      { id: 'é', text: null },
    ];
    expect(toTable(columns, rows)).toEqual(['ID    TEXT', '日本  a b', 'é     -']);
  });

  it('is cut to the width of a terminal, and not in a pipe', () => {
    const rows = [{ id: 'short', text: 'x'.repeat(100) }];
    const onTerminal = open({ isTTY: true, columns: 40 }, { NO_COLOR: '1' });
    onTerminal.table(columns, rows, 'none');
    expect(onTerminal.out().split('\n')[1]).toBe(`short  ${'x'.repeat(32)}…`);
    const piped = open({});
    piped.table(columns, rows, 'none');
    expect(piped.out()).toContain('x'.repeat(100));
  });

  it('says on a terminal that it is empty, and nothing in a pipe', () => {
    const onTerminal = open({ isTTY: true });
    onTerminal.table(columns, [], 'no rows');
    expect([onTerminal.out(), onTerminal.err()]).toEqual(['', 'no rows\n']);
    const piped = open({});
    piped.table(columns, [], 'no rows');
    expect([piped.out(), piped.err()]).toEqual(['', '']);
  });
});

describe('colours and progress', () => {
  it('have one line for progress, in place of the line before', () => {
    const output = open({ isTTY: true, columns: 20 });
    output.progress('a first text of progress');
    output.progress('a second')();
    expect(output.err()).toBe('\r\u001b[Ka first text of pro\r\u001b[Ka second\r\u001b[K');
  });

  it('are for terminals, unless the environment says otherwise', () => {
    const heading = (terminal: Partial<Sink>, env: Record<string, string> = {}) => {
      const output = open(terminal, env);
      output.table(columns, [{ id: 'a', text: 'b' }], 'none');
      output.progress('working');
      return [output.out().includes('\u001b[1m'), output.err() !== ''];
    };
    expect(heading({ isTTY: true, columns: 80 })).toEqual([true, true]);
    expect(heading({})).toEqual([false, false]);
    expect(heading({ isTTY: true, columns: 80 }, { NO_COLOR: '1' })).toEqual([false, true]);
    expect(heading({ isTTY: true, columns: 80 }, { TERM: 'dumb' })).toEqual([false, true]);
    expect(heading({}, { FORCE_COLOR: '1' })).toEqual([true, false]);
    expect(heading({}, { FORCE_COLOR: '1', NO_COLOR: '1' })).toEqual([false, false]);
  });
});

describe('text of strangers', () => {
  const hostile = '\u001b[2Ja\u001b]0;title\u0007b\u009b31mc\r\nd\u202ee\u0000';

  it('loses what moves, paints and renames', () => {
    expect(toPlainBlock(hostile)).toBe('abc\nd\\u202ee␀');
    expect(toPlainCell(hostile)).toBe('abc d\\u202ee␀');
  });

  it('stays the same JSON without raw controls', () => {
    const text = toPlainJson({ hostile });
    expect(JSON.parse(text)).toEqual({ hostile });
    expect(text).not.toContain('\u009b');
  });

  it('stays JSON with every digit of its numbers', () => {
    const text = '{"id":1098765432109876543,"n":1e400}';
    expect(toPlainJson(parseExact(text))).toBe(text);
    expect(toPlainJson(parseExact(text), 2)).toBe('{\n  "id": 1098765432109876543,\n  "n": 1e400\n}');
  });

  it('is raw in a pipe only', () => {
    const piped = open({});
    piped.raw(hostile);
    expect(piped.out()).toBe(hostile);
    const onTerminal = open({ isTTY: true });
    onTerminal.raw(hostile);
    expect(onTerminal.out()).toBe('abc\nd\\u202ee␀');
  });
});

describe('a table that grows', () => {
  it('has its headings once, and rows that are aligned with those before them', () => {
    const { growingTable, out } = open({});
    const add = growingTable(columns);
    add([]);
    add([{ id: 'long', text: 'x' }]);
    add([
      { id: 'a', text: 'y' },
      { id: 'longer', text: 'z' },
    ]);
    expect(out()).toBe('ID  TEXT\nlong  x\na       y\nlonger  z\n');
  });
});
