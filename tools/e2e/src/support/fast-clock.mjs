// Preloaded into a daemon (`node --import`): its clocks and timers run CLOCK_FACTOR times as fast as real time, so that
// a default of a minute can be seen in a second; below 1 they are slower. Its clocks begin CLOCK_AHEAD_MS ahead, and go
// forward by CLOCK_JUMP_MS at each SIGUSR2; timers that run then are not hurried. The delays that timers are asked for are
// written to the file CLOCK_DELAYS, where there is one. Children are not affected.
import { appendFileSync } from 'node:fs';

const delays = process.env.CLOCK_DELAYS;
/** A timer takes no more (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const longestMs = 2 ** 31 - 1;
const factor = Number(process.env.CLOCK_FACTOR ?? 1);
let aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);

if (process.env.CLOCK_JUMP_MS !== undefined) {
  process.on('SIGUSR2', () => {
    aheadMs += Number(process.env.CLOCK_JUMP_MS);
  });
}

const monotonic = performance.now.bind(performance);
performance.now = () => monotonic() * factor + aheadMs;

const epoch = Date.now;
const startedAt = epoch();
Date.now = () => Math.floor(startedAt + (epoch() - startedAt) * factor + aheadMs);

for (const name of ['setTimeout', 'setInterval']) {
  const wait = globalThis[name];
  globalThis[name] = Object.defineProperties((callback, delayMs = 0, ...args) => {
    if (delays !== undefined) appendFileSync(delays, `${delayMs}\n`);
    return wait(callback, Math.min(delayMs / factor, longestMs), ...args);
  }, Object.getOwnPropertyDescriptors(wait));
}
