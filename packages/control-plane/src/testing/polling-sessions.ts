// Sessions that wait for something and are no loops, as agents have them: each asks the same again, and the answer shows
// progress, now and then with a few equal answers in between. For tests only.

export interface PollingSession {
  readonly name: string;
  /** The calls in their order: the id, its arguments, and the text of the result. */
  readonly calls: readonly (readonly [id: string, args: Readonly<Record<string, string | number>>, text: string])[];
  /** Seconds between two calls. */
  readonly everySecs: number;
}

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

/** One call again and again, with what it is answered at each time. */
function polling(
  name: string,
  id: string,
  args: PollingSession['calls'][number][1],
  everySecs: number,
  results: readonly string[],
): PollingSession {
  return { name, everySecs, calls: results.map((text) => [id, args, text]) };
}

const state = (value: object) => JSON.stringify(value);
const run = { run: 4711 };

export const pollingSessions: readonly PollingSession[] = [
  polling(
    'a build with its elapsed time',
    'ci.status',
    run,
    5,
    times(120).map((at) => state({ elapsed: at * 5 })),
  ),
  polling(
    'a deployment by percent',
    'deploy.progress',
    run,
    2,
    times(101).map((at) => `${at} %`),
  ),
  polling(
    'a queue that drains',
    'queue.length',
    { queue: 'mail' },
    3,
    times(60).map((at) => String(60 - at)),
  ),
  polling(
    'the end of a log that grows',
    'log.tail',
    { lines: 3 },
    1,
    times(90).map((at) => `line ${at}\nline ${at + 1}`),
  ),
  polling(
    'a page with the time of the check',
    'web.check',
    run,
    10,
    times(50).map((at) => `200 at 10:${at}:00`),
  ),
  polling(
    'stages of a job, three answers each',
    'job.get',
    run,
    20,
    times(30).map((at) => `stage ${Math.floor(at / 3)}`),
  ),
  polling(
    'an upload by bytes',
    'upload.status',
    run,
    1,
    times(200).map((at) => state({ sent: at * 65_536 })),
  ),
  polling(
    'a replica that catches up',
    'db.lag',
    run,
    5,
    times(40).map((at) => `${(40 - at) * 17} ms`),
  ),
  polling(
    'a test run by passed tests',
    'test.summary',
    run,
    4,
    times(80).map((at) => state({ passed: at * 13 })),
  ),
  polling(
    'a price that moves',
    'market.price',
    { symbol: 'ACME' },
    1,
    times(300).map((at) => (100 + Math.sin(at)).toFixed(4)),
  ),
  polling(
    'an inbox, four answers each',
    'mail.unread',
    {},
    60,
    times(24).map((at) => `${Math.floor(at / 4)} unread`),
  ),
  polling('a container that restarts', 'pod.get', run, 3, [
    'Pending',
    'Pending',
    'Running',
    'CrashLoop',
    'Pending',
    'Running',
    'Ready',
  ]),
  polling(
    'a download with its rate',
    'fetch.status',
    run,
    1,
    times(70).map((at) => `${at * 3} MB, ${(at % 7) + 1} MB/s`),
  ),
  polling(
    'an index that is built',
    'search.stats',
    run,
    15,
    times(45).map((at) => state({ documents: at * at })),
  ),
  polling(
    'a tick that never changes twice',
    'clock.now',
    {},
    1,
    times(500).map((at) => String(1_700_000_000 + at)),
  ),
  polling(
    'a vote, whose count stands still at times',
    'poll.count',
    run,
    30,
    times(36).map((at) => `${Math.floor(at / 2)}`),
  ),
  polling(
    'a flag that flips',
    'flag.get',
    { flag: 'ready' },
    2,
    times(40).map((at) => String(at % 2 === 0)),
  ),
  {
    name: 'a status and its log in turns',
    everySecs: 2,
    calls: times(60).map((at) => (at % 2 === 0 ? ['ci.status', run, 'running'] : ['log.tail', run, `step ${at}`])),
  },
  {
    name: 'the pages of a list',
    everySecs: 1,
    calls: times(40).map((at) => ['list.page', { page: at }, state({ items: [] })]),
  },
  polling(
    'an unchanged state, asked for every three minutes',
    'job.get',
    run,
    180,
    times(30).map(() => 'queued'),
  ),
];
