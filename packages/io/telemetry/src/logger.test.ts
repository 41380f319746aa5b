// Log lines as a log collector reads them.
import { describe, expect, it } from 'vitest';
import { createLogger, isLogThreshold, type LogThreshold, logLevels, toPlainLine } from './logger.js';

function record(level: LogThreshold) {
  const lines: string[] = [];
  const log = createLogger({ level, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

describe('createLogger', () => {
  it('writes one JSON object a line, with level, time, message and fields', () => {
    const { log, lines, parsed } = record('info');
    log('info', 'a line\nwith a break', { server: 'git', count: 2 });
    log('warn', 'another');
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(parsed()).toEqual([
      { level: 'info', time, server: 'git', count: 2, message: 'a line\nwith a break' },
      { level: 'warn', time, message: 'another' },
    ]);
  });

  it.each<[LogThreshold, readonly string[]]>([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
    ['trace', ['error', 'warn', 'info', 'debug']],
  ])('at level %s writes %j', (level, written) => {
    const { log, parsed } = record(level);
    for (const lineLevel of ['error', 'warn', 'info', 'debug'] as const) log(lineLevel, lineLevel);
    expect(parsed().map(({ message }) => message)).toEqual(written);
  });

  it('writes an error with its type, message, stack and cause', () => {
    const { log, parsed } = record('info');
    log('error', 'failed', { error: new RangeError('outer', { cause: new Error('inner') }) });
    const [{ error }] = parsed() as [{ error: { type: string; message: string; stack: string } }]; // one line, as above
    expect(error).toMatchObject({ type: 'RangeError' });
    expect(error.message).toContain('outer');
    expect(error.stack).toContain('inner');
  });

  it('writes what JSON cannot say without failing', () => {
    const { log, lines } = record('info');
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    log('info', 'odd', { cycle, big: 10n, nothing: undefined, error: 'no error object' });
    expect(lines).toHaveLength(1);
    expect(() => JSON.parse(lines[0] ?? '')).not.toThrow();
  });
});

describe('a line for a terminal', () => {
  it('holds nothing that moves the cursor, reorders letters or looks like a line of its own', () => {
    const [clear, bidi, c1] = ['\u001b[2J', 'a\u202eb', '\u009b31m'];
    const given = {
      message: `x\n${clear}`,
      server: bidi,
      nested: [{ [c1]: c1 }],
      error: { stack: `a\n  b${clear}` },
    };
    const line = toPlainLine(`${JSON.stringify(given)}\n`);
    expect(JSON.parse(line)).toEqual({
      message: 'x\u240a\u241b[2J',
      server: 'a\\u202eb',
      nested: [{ '\\u009b31m': '\\u009b31m' }],
      error: { stack: 'a\n  b\u241b[2J' },
    });
  });
});

describe('isLogThreshold', () => {
  it('knows the five levels and no other', () => {
    expect([...logLevels, 'INFO', 'silent', 'fatal', ''].filter(isLogThreshold)).toEqual([
      'error',
      'warn',
      'info',
      'debug',
      'trace',
    ]);
  });
});
