// Loaded into a daemon before its own code: at each SIGUSR2 writes what is loaded, and what the process keeps after a
// collection of garbage, into the file that METER_FILE names.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const loaded = [...process.moduleLoadList];

/** The length of every script of a file, in characters: where the last of its functions ends, which is the script itself. */
function lengthsOf({ result }) {
  const ofFiles = result.filter(({ url }) => /^(?:file:|\/)/.test(url));
  return ofFiles.map(({ url, functions }) => {
    const ends = functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset));
    return { file: url, length: Math.max(0, ...ends) };
  });
}

async function measure() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  const scripts = lengthsOf(await session.post('Profiler.getBestEffortCoverage')); // other kinds change how code runs
  await session.post('Profiler.disable');
  await session.post('HeapProfiler.collectGarbage');
  const { heapUsed, external } = process.memoryUsage();
  session.disconnect();
  const modules = process.moduleLoadList.filter((name) => name.startsWith('NativeModule ') && !loaded.includes(name));
  const builtins = modules.map((name) => name.slice('NativeModule '.length));
  return { scripts, builtins, keptBytes: heapUsed + external };
}

// Children of the daemon inherit NODE_OPTIONS.
if (process.argv[1]?.endsWith('apps/daemon/dist/main.js')) {
  process.on('SIGUSR2', async () => {
    const file = process.env.METER_FILE;
    writeFileSync(`${file}.new`, JSON.stringify(await measure()));
    renameSync(`${file}.new`, file);
  });
}
