// Records that a target refuses: the others get through, and nothing is left out silently.
import type { AuditRecord } from '@portico/audit-chain';
import { describe, expect, it } from 'vitest';
import { createSleeplessClock } from './testing/clocks.js';
import { createFakeAudit, recordAt } from './testing/fake-audit.js';
import type { Answer, ReceivedRequest, Receiver } from './testing/receiver.js';
import { splunkAt, webhookTo } from './testing/start-streams.js';
import { receiver, streams } from './testing/started.js';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Answers badly where a request holds what the target does not like; keeps what it has taken. */
async function receiverThatRefuses(isBad: (request: ReceivedRequest) => boolean, refuse: Answer) {
  const taken: AuditRecord[] = [];
  const started = await receiver((response, nth, request) => {
    if (isBad(request)) return refuse(response, nth, request);
    taken.push(...request.records);
    response.end('{"text":"Success","code":0}');
  });
  return { ...started, taken };
}

const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end();

const isPoisoned = ({ body }: ReceivedRequest) => body.includes('poison');
const poisonedAudit = () =>
  createFakeAudit(40, (seq) => ([5, 6, 23].includes(seq) ? { sanitized_args: { text: 'poison' } } : {}));

/** The poisonous ones, and no other. */
function expectInPart(taken: readonly AuditRecord[], lines: Parameters<typeof inPart>[0]) {
  expect(firstArrivals(taken)).toEqual(upTo(40));
  const inPartOnly = taken.filter((record) => record.sanitized_args === undefined);
  expect(firstArrivals(inPartOnly)).toEqual([5, 6, 23]);
  expect(inPartOnly[0]?.details).toEqual({ omitted: ['sanitized_args'], reason: 'refused by this target' });
  expect(inPart(lines)).toHaveLength(3);
}

const firstArrivals = (records: readonly AuditRecord[]) => [...new Set(records.map(({ seq }) => seq))];
const inPart = (lines: readonly (readonly [string, string, unknown])[]) =>
  lines.filter(([, message]) => message === 'a SIEM target has got an audit record in part');

describe('a target with a limit of size', () => {
  it('gets smaller batches', async () => {
    const { origin, taken, requests } = await receiverThatRefuses(({ records }) => records.length > 30, status(413));
    const { reaches, lines } = streams({ audit: createFakeAudit(500), targets: [webhookTo(origin)] });
    await reaches(500);
    expect(taken.map(({ seq }) => seq)).toEqual(upTo(500));
    expect(requests.filter(({ records }) => records.length > 30).length).toBeLessThan(10);
    expect(inPart(lines)).toEqual([]);
  });

  it('gets a record that is too large by itself without arguments and details', async () => {
    const { origin, taken } = await receiverThatRefuses(({ body }) => body.length > 20_000, status(413));
    const audit = createFakeAudit(20, (seq) =>
      seq === 7 ? { sanitized_args: { text: 'x'.repeat(1_000_000) }, details: { note: 'n' } } : {},
    );
    const { reaches, lines } = streams({ audit, targets: [webhookTo(origin)] });
    await reaches(20);
    const { sanitized_args: _, ...rest } = recordAt(7);
    expect(taken[6]).toEqual({
      ...rest,
      details: { omitted: ['sanitized_args', 'details'], reason: 'too large for this target' },
    });
    expect(taken.map(({ seq }) => seq)).toEqual(upTo(20));
    expect(taken.filter((record) => record.sanitized_args === undefined)).toHaveLength(1);
    expect(inPart(lines)).toMatchObject([
      ['warn', expect.any(String), { id: 'aud-000000000007', form: 'reduced', reason: 'too large for this target' }],
    ]);
  });

  it('gets the bare record where a caller has blown up what is left', async () => {
    const { origin, taken } = await receiverThatRefuses(({ body }) => body.length > 20_000, status(413));
    const audit = createFakeAudit(3, (seq) => (seq === 2 ? { idempotency_key: 'k'.repeat(50_000) } : {}));
    const { reaches } = streams({ audit, targets: [webhookTo(origin)] });
    await reaches(3);
    const { sanitized_args: _args, capability_id: _id, ...rest } = recordAt(2);
    expect(taken[1]).toEqual({
      ...rest,
      details: { omitted: ['capability_id', 'sanitized_args', 'idempotency_key'], reason: 'too large for this target' },
    });
  });
});

describe.each<[string, Answer]>([
  ['refuses it with status 400', status(400)],
  ['refuses it with status 422', status(422)],
  ['has a firewall that refuses it with status 403', status(403)],
  ['fails at it with status 500', status(500)],
  ['breaks off at it', (response) => response.destroy()],
  [
    'answers it with 200 and another code than 0',
    (response) => response.end('{"text":"Invalid data format","code":6}'),
  ],
])('a poisonous record at a target that %s', (_, refuse) => {
  it('is sent in part, and all others whole', async () => {
    const { origin, taken } = await receiverThatRefuses(isPoisoned, refuse);
    const { reaches, lines } = streams({ audit: poisonedAudit(), targets: [splunkAt(origin)] });
    await reaches(40);
    expectInPart(taken, lines);
  });
});

it('a poisonous record at a target that never answers it is sent in part, and all others whole', async () => {
  const taken: AuditRecord[] = [];
  // Answers without a socket: what is answered at all is answered before a limit can be over, however slow the machine.
  const answering: typeof fetch = async (_url, init) => {
    const body = new TextDecoder().decode(init?.body as Uint8Array);
    if (body.includes('poison')) return new Promise(() => {});
    taken.push(...body.split('\n').map((line) => JSON.parse(line).event));
    return new Response('{"text":"Success","code":0}');
  };
  const { reaches, lines } = streams({
    audit: poisonedAudit(),
    targets: [splunkAt('http://hec.invalid')],
    timeoutMs: 50,
    fetch: answering,
  });
  await reaches(40);
  expectInPart(taken, lines);
});

it('is patient with a failure until a record has been seen to cause it', async () => {
  const { origin } = await receiverThatRefuses(isPoisoned, status(500));
  const clock = createSleeplessClock();
  const audit = createFakeAudit(30, (seq) => (seq % 3 === 0 ? { sanitized_args: { text: 'poison' } } : {}));
  const { reaches } = streams({ audit, targets: [webhookTo(origin)], clock });
  await reaches(30);
  // Five for all, five for the first bad one by itself; none for the nine that follow.
  expect(clock.sleeps).toHaveLength(10);
});

it('retries without limit where every record is refused, and leaves none out when that ends', async () => {
  let isIndexThere = false;
  const { origin, arrived, taken }: Receiver & { readonly taken: readonly AuditRecord[] } = await receiverThatRefuses(
    () => !isIndexThere,
    (response) => response.writeHead(400).end('{"text":"Incorrect index","code":7,"invalid-event-number":1}'),
  );
  const { reaches, lines } = streams({ audit: createFakeAudit(8), targets: [splunkAt(origin)] });
  // Three rounds of 8, 4, 2, 1, reduced and bare: the next request holds all.
  await arrived.reaches(18);
  isIndexThere = true;
  await reaches(8);
  expect(new Set(taken.map(({ seq }) => seq))).toEqual(new Set(upTo(8)));
  expect(lines[0]).toMatchObject(['warn', expect.any(String), { reason: 'answered with status 400 and code 7' }]);
});
