// Loaded into a daemon before its own code: measures, when asked over HTTP, what goes on between `start` and `stop` of a
// meter. The address is written into the file that METERS_FILE names.
import { createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector';

const session = new Session();
session.connect();

/** The inspector answers before `post` returns. */
function post(method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

let promises = 0;
const counting = createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises += 1;
  },
});

const sampling = {
  samplingInterval: 4096,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};
const bytesUnder = ({ selfSize, children }) => children.reduce((sum, child) => sum + bytesUnder(child), selfSize);

const isOwn = ({ url }) => /\/(packages|apps)\/.*\/dist\//.test(url);

const meters = {
  promises: {
    start() {
      promises = 0;
      counting.enable();
    },
    stop() {
      counting.disable();
      return promises;
    },
  },
  bytes: {
    start: () => post('HeapProfiler.startSampling', sampling),
    stop: () => bytesUnder(post('HeapProfiler.stopSampling').profile.head),
  },
  /** The functions of ours that have a name and were called. */
  functions: {
    start() {
      post('Profiler.enable');
      post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    },
    stop() {
      const { result } = post('Profiler.takePreciseCoverage');
      post('Profiler.stopPreciseCoverage');
      return result.filter(isOwn).flatMap(({ url, functions }) => {
        const file = url.replace(/^.*\/(?=(packages|apps)\/)/, '');
        const called = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0);
        return called.map(({ functionName, ranges }) => ({ file, name: functionName, offset: ranges[0].startOffset }));
      });
    },
  },
};

// Children of the daemon inherit NODE_OPTIONS.
const isDaemon = process.argv[1]?.endsWith('daemon-modules.mjs') === true;

const server = createServer((request, response) => {
  const [, meter, action] = request.url.split('/');
  response.end(JSON.stringify(meters[meter][action]() ?? null));
});
if (isDaemon) {
  server.listen(0, '127.0.0.1', () => {
    writeFileSync(process.env.METERS_FILE, `http://127.0.0.1:${server.address().port}`);
  });
  server.unref();
}
