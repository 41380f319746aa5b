// Preloaded into a daemon that is measured: on a message of the parent it collects garbage and reports what the process
// holds. The channel keeps nothing alive.
import { setImmediate } from 'node:timers/promises';

process.on('message', async () => {
  // Two rounds with a turn between them: what is only finalised in the first goes with the second.
  globalThis.gc();
  await setImmediate();
  globalThis.gc();
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  process.send({ memory: process.memoryUsage(), resources });
});
process.channel.unref();
