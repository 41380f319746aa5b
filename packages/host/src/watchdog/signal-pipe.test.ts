// The pipe of libuv, on the real thing: a signal stays in it until the event loop turns, and reaches its handler then.
import { once } from 'node:events';
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { findSignalPipe, signalsIn } from './signal-pipe.js';

describe.runIf(process.platform === 'linux')('the pipe of the signals', () => {
  it('shows a signal before the event loop turns, and leaves it for the loop', async () => {
    const pipe = findSignalPipe();
    if (pipe === undefined) throw new Error('libuv keeps its signals in another way');
    const handled = once(process, 'SIGUSR2');
    process.kill(process.pid, 'SIGUSR2');
    expect(signalsIn(pipe)).toContain(constants.signals.SIGUSR2);
    expect(signalsIn(pipe)).toContain(constants.signals.SIGUSR2); // it was put back
    await handled;
    expect(signalsIn(pipe)).toEqual([]);
  });

  it('leaves no handler behind', () => {
    const before = process.listenerCount('SIGWINCH');
    findSignalPipe();
    expect(process.listenerCount('SIGWINCH')).toBe(before);
  });
});
