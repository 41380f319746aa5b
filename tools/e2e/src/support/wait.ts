// Waiting for what can be observed. The limit is for a broken product, never a measure of a working one.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { vi } from 'vitest';

export { freePort } from '../../../../packages/io/stores/src/testing/free-port.js';

/** Repeats the assertions until they hold; the last failure is the test's failure. */
export function eventually<T>(assertions: () => T | Promise<T>, timeout = 15_000): Promise<T> {
  return vi.waitFor(assertions, { timeout, interval: 20 });
}

/** Whether a process is there and not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    // Ended but not yet collected by its parent (proc(5), stat, field 3).
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux'; // no /proc elsewhere; on Linux it has ended in between
  }
}

/** Whether something accepts connections there. */
export function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
