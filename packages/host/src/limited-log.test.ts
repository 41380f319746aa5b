// Log lines that a server can cause are limited, and counted; lines that the operator needs are written.
import type { Log } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createLimitedLog } from './limited-log.js';

function start() {
  const written: string[] = [];
  const timers: { at: number; run: () => void }[] = [];
  let now = 0;
  const write: Log = (level, message, fields) => written.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  const after = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  const limited = createLimitedLog(write, { now: () => now, after }, { lines: 2, windowMs: 1000 });
  const pass = (ms: number) => {
    now += ms;
    for (const timer of timers.splice(0)) timer.at <= now ? timer.run() : timers.push(timer);
  };
  return { ...limited, written, pass };
}

describe('the limited log', () => {
  it('writes a limited number of lines of a message about a server, then one line with the number of the others', () => {
    const { log, written, pass } = start();
    for (let n = 0; n < 5; n++) log('info', 'server is connecting', { server: 'a', n });
    expect(written).toHaveLength(2);
    pass(1000);
    expect(written.slice(2)).toEqual([
      'info suppressed 3 lines in 1 s: server is connecting {"server":"a","n":4,"suppressed":3}',
    ]);
    log('info', 'server is connecting', { server: 'a', n: 9 });
    expect(written.at(-1)).toContain('"n":9');
  });

  it('limits each server and each message by itself, and no line about no server', () => {
    const { log, written } = start();
    for (let n = 0; n < 3; n++) {
      for (const server of ['a', 'b']) for (const message of ['x', 'y']) log('warn', message, { server });
      log('warn', 'x', {});
      log('warn', 'x');
    }
    expect(written).toHaveLength(2 * 4 + 2 * 3);
  });

  it('limits lines about what all servers write as those of one server', () => {
    const { log, written, close } = start();
    for (let n = 0; n < 5; n++) log('warn', 'not checked', { about: 'schemas', reason: `${n}` });
    expect(written).toHaveLength(2);
    close();
    expect(written.at(-1)).toBe(
      'warn suppressed 3 lines in 1 s: not checked {"about":"schemas","reason":"4","suppressed":3}',
    );
  });

  it('reports at the end what it has counted', () => {
    const { log, written, close } = start();
    for (let n = 0; n < 3; n++) log('error', 'x', { server: 'a' });
    close();
    expect(written.at(-1)).toContain('error suppressed 1 lines');
  });

  it('keeps a limited number of messages apart', () => {
    const { log, written } = start();
    for (let n = 0; n < 5000; n++) log('info', `message ${n}`, { server: 'a' });
    expect(written).toHaveLength(2002);
  });
});
