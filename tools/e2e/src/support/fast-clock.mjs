// Preloaded into a daemon (`node --import`): its clocks and timers run CLOCK_FACTOR times as fast as real time, so that
// a default of a minute can be seen in a second; below 1 they are slower. Children of the daemon are not affected.
const factor = Number(process.env.CLOCK_FACTOR);

const monotonic = performance.now.bind(performance);
performance.now = () => monotonic() * factor;

const epoch = Date.now;
const startedAt = epoch();
Date.now = () => Math.floor(startedAt + (epoch() - startedAt) * factor);

for (const name of ['setTimeout', 'setInterval']) {
  const wait = globalThis[name];
  globalThis[name] = Object.defineProperties(
    (callback, delayMs = 0, ...args) => wait(callback, delayMs / factor, ...args),
    Object.getOwnPropertyDescriptors(wait),
  );
}
