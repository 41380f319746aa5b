// Streams against receivers on real sockets, with every kind of failure on the way.
import type { SiemTarget } from '@portico/contracts';
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryCursors } from './siem-cursors.js';
import { createSleeplessClock, watchClock } from './testing/clocks.js';
import { createFakeAudit, recordAt } from './testing/fake-audit.js';
import { type Answer, answerWith, neverAnswer } from './testing/receiver.js';
import { splunkAt, startStreams, webhookTo } from './testing/start-streams.js';
import { receiver, streams } from './testing/started.js';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const messages = (lines: readonly (readonly [string, string, unknown])[]) => lines.map(([, message]) => message);
const firstArrivals = (seqs: readonly number[]) => [...new Set(seqs)];

describe('a target that works', () => {
  it.each<[string, (origin: string) => SiemTarget]>([
    ['webhook', webhookTo],
    ['Splunk', splunkAt],
  ])('gets every record once and in order, in batches (%s)', async (_, toTarget) => {
    const { origin, requests, seqs } = await receiver((response) => response.end('{"text":"Success","code":0}'));
    const { reaches, lines } = streams({ audit: createFakeAudit(250), targets: [toTarget(origin)] });
    await reaches(250);
    expect(seqs()).toEqual(upTo(250));
    expect(requests.map(({ records }) => records.length)).toEqual([100, 100, 50]);
    expect(requests[0]?.records[0]).toEqual(recordAt(1));
    expect(lines).toEqual([]);
  });

  it('gets what is kept later', async () => {
    const { origin, seqs } = await receiver(answerWith(204));
    const audit = createFakeAudit();
    const { reaches } = streams({ audit, targets: [webhookTo(origin)] });
    audit.keep(2);
    await reaches(2);
    audit.keep(1);
    await reaches(3);
    expect(seqs()).toEqual([1, 2, 3]);
  });
});

describe('a Splunk collector that fails at half of the requests', () => {
  /** Each of them is left unanswered, or answered badly, in its own way; some have processed what they fail at. */
  const faults: readonly Answer[] = [
    answerWith(500),
    (response) => response.destroy(),
    neverAnswer,
    (response) => response.writeHead(503, { 'retry-after': '1' }).end('{"text":"Server is busy","code":9}'),
    (response) => response.writeHead(200).write('{"text":"Succ', () => response.destroy()),
    (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  ];

  it('gets every record, first arrivals in order', async () => {
    const { origin, requests, seqs } = await receiver((response, nth, request) => {
      const fault = nth % 2 === 1 ? faults[((nth - 1) / 2) % faults.length] : undefined;
      if (fault !== undefined) fault(response, nth, request);
      else response.end('{"text":"Success","code":0}');
    });
    const { reaches } = streams({
      audit: createFakeAudit(240),
      targets: [splunkAt(origin)],
      maxBatchSize: 20,
      timeoutMs: 1000,
    });
    await reaches(240);
    expect(firstArrivals(seqs())).toEqual(upTo(240));
    expect(requests.length).toBeGreaterThanOrEqual(24);
    expect(new Set(requests.map(({ url, headers }) => `${url} ${headers.authorization}`))).toEqual(
      new Set(['/services/collector/event Splunk hec-token']),
    );
  });

  it('has not got what it answers with status 200 and another code than 0', async () => {
    const { origin, requests } = await receiver((response, nth) =>
      response.end(nth === 1 ? '{"text":"Invalid data format","code":6}' : '{"text":"Success","code":0}'),
    );
    const { reaches, lines } = streams({ audit: createFakeAudit(1), targets: [splunkAt(origin)] });
    await reaches(1);
    expect(requests).toHaveLength(2);
    expect(lines[0]?.[2]).toMatchObject({ reason: 'answered with status 200 and code 6' });
  });

  it('is not read past 64 KiB', async () => {
    const { origin, cutOff } = await receiver((response) => void response.writeHead(200).write('x'.repeat(200_000)));
    const { reaches } = streams({ audit: createFakeAudit(1), targets: [splunkAt(origin)] });
    await reaches(1);
    await cutOff.reaches(1);
  });
});

describe('a dead target', () => {
  it('delays nothing of another', async () => {
    const dead = await receiver(neverAnswer);
    const live = await receiver(answerWith(200));
    const audit = createFakeAudit(1000);
    const { reaches, lag } = streams({ audit, targets: [webhookTo(dead.origin), webhookTo(live.origin)] });
    await reaches(1000);
    expect(live.seqs()).toEqual(upTo(1000));
    expect(lag().map(({ records }) => records)).toEqual([1000, 0]);
  });

  it('has one batch read for it, however much waits and however long', async () => {
    const { origin, arrived, requests } = await receiver(answerWith(503));
    const audit = createFakeAudit(100_000);
    const { lag } = streams({ audit, targets: [webhookTo(origin)] });
    await arrived.reaches(3);
    audit.keep(1);
    await arrived.reaches(45);
    expect(audit.asked).toEqual([{ seq: 0, portion: { maxRecords: 100, maxCharacters: 1_048_576 } }]);
    expect(Math.max(...requests.map(({ records }) => records.length))).toBe(100);
    expect(lag()[0]?.records).toBe(100_001);
  });

  it('gets all records whole when it is back, after any number of failed tries', async () => {
    for (const downFor of [3, 7, 13, 17, 21]) {
      const { origin, requests } = await receiver((response, nth) =>
        response.writeHead(nth > downFor ? 200 : 500).end(),
      );
      const { reaches, lines } = streams({ audit: createFakeAudit(50), targets: [webhookTo(origin)] });
      await reaches(50);
      const taken = requests.slice(downFor).flatMap(({ records }) => records);
      expect(upTo(50).filter((seq) => !taken.some((record) => record.seq === seq && record.sanitized_args))).toEqual(
        [],
      );
      expect(messages(lines)).not.toContain('a SIEM target has got an audit record in part');
    }
  });

  it('is left alone as long as it asks for, which is no longer than five minutes', async () => {
    const { origin } = await receiver((response, nth) => {
      if (nth < 3) response.writeHead(nth === 1 ? 503 : 429, { 'retry-after': nth === 1 ? '7' : '86400' });
      response.end();
    });
    const clock = watchClock(createManualClock());
    const { reaches } = streams({ audit: createFakeAudit(1), targets: [webhookTo(origin)], clock });
    await clock.slept.reaches(1);
    await clock.advance(7000);
    await clock.slept.reaches(2);
    await clock.advance(300_000);
    await reaches(1);
    expect(clock.sleeps).toEqual([7000, 300_000]);
  });

  it('is tried with growing waits', async () => {
    const { origin } = await receiver(answerWith(500));
    const clock = createSleeplessClock();
    streams({ audit: createFakeAudit(1), targets: [webhookTo(origin)], clock, randomUnit: () => 1 });
    await clock.slept.reaches(9);
    expect(clock.sleeps.slice(0, 9)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });
});

describe('a restart', () => {
  it('goes on from the cursor that was kept, and repeats one batch at most', async () => {
    const { origin, arrived, seqs } = await receiver((response, nth) =>
      nth === 3 ? response.destroy() : response.end(),
    );
    const cursors = createMemoryCursors();
    const options = { audit: createFakeAudit(100), targets: [webhookTo(origin)], cursors, maxBatchSize: 10 };
    const clock = watchClock(createManualClock());
    const first = startStreams({ ...options, clock });
    await arrived.reaches(3);
    await clock.slept.reaches(1);
    const closed = first.close(0);
    await clock.advance(0);
    await closed;
    expect(first.kept.at(-1)?.[1]).toBe(20);
    const { reaches } = streams(options);
    await reaches(100);
    expect(firstArrivals(seqs())).toEqual(upTo(100));
    expect(seqs().length).toBeLessThanOrEqual(120);
  });

  it('begins at the first record of a log that was started again', async () => {
    const { origin, seqs } = await receiver(answerWith(200));
    const { reaches, lines } = streams({
      audit: createFakeAudit(3),
      targets: [webhookTo(origin)],
      cursors: { get: async () => 70, set: async () => {} },
    });
    await reaches(3);
    expect(seqs()).toEqual([1, 2, 3]);
    expect(lines).toMatchObject([
      [
        'warn',
        'the audit log is a new one; sending it to the SIEM target from its first record',
        { kept: 70, head: 3 },
      ],
    ]);
  });

  it('waits for a cursor that cannot be read, and does without one that cannot be kept', async () => {
    const { origin, seqs, arrived } = await receiver(answerWith(200));
    let reads = 0;
    const { lines } = streams({
      audit: createFakeAudit(30),
      targets: [webhookTo(origin)],
      maxBatchSize: 10,
      cursors: {
        get: async () => (reads++ === 0 ? Promise.reject(new Error('database is locked')) : 10),
        set: () => Promise.reject(new Error('disk is full')),
      },
    });
    await arrived.reaches(2);
    expect(seqs()).toEqual(upTo(30).slice(10));
    expect(lines.map(([, , { reason }]) => reason)).toEqual(
      expect.arrayContaining(['database is locked', 'disk is full']),
    );
  });
});

describe('a log that has dropped records', () => {
  it('is sent from where it begins, and the gap is counted', async () => {
    const { origin, seqs } = await receiver(answerWith(200));
    const audit = createFakeAudit(10);
    audit.forgetBefore(6);
    const { reaches, lines } = streams({ audit, targets: [webhookTo(origin)] });
    await reaches(10);
    expect(seqs()).toEqual([6, 7, 8, 9, 10]);
    expect(lines).toMatchObject([
      ['error', 'audit records that a SIEM target has not got are no longer kept', { origin, missing: 5 }],
    ]);
  });

  it('is asked again when it gives nothing of what it says it has', async () => {
    const { origin, seqs } = await receiver(answerWith(200));
    const audit = createFakeAudit(10);
    let asked = 0;
    const after: typeof audit.after = async (...args) => (asked++ < 3 ? [] : audit.after(...args));
    const { reaches } = streams({ audit: { ...audit, after }, targets: [webhookTo(origin)] });
    await reaches(10);
    expect(seqs()).toEqual(upTo(10));
  });
});

describe('batches', () => {
  it('are sent when they are full, or when the first record has waited long enough', async () => {
    const { origin, requests } = await receiver(answerWith(200));
    const clock = watchClock(createManualClock());
    const audit = createFakeAudit();
    const { reaches } = streams({ audit, targets: [webhookTo(origin)], maxBatchSize: 10, flushIntervalMs: 250, clock });
    await clock.advance(0);
    audit.keep(1);
    await clock.advance(200);
    audit.keep(1);
    await clock.advance(49);
    expect(audit.asked).toEqual([]);
    await clock.advance(1);
    await reaches(2);
    audit.keep(10);
    await reaches(12);
    expect(requests.map(({ records }) => records.length)).toEqual([2, 10]);
    expect(clock.sleeping()).toBe(0);
  });

  it('wait for more again when something was kept while they were read', async () => {
    const { origin, requests } = await receiver(answerWith(200));
    const clock = watchClock(createManualClock());
    const audit = createFakeAudit(1);
    const after: typeof audit.after = async (...args) => {
      const records = await audit.after(...args);
      if (args[0] === 0) audit.keep(1);
      return records;
    };
    const { reaches } = streams({
      audit: { ...audit, after },
      targets: [webhookTo(origin)],
      flushIntervalMs: 250,
      clock,
    });
    await reaches(1);
    await clock.advance(249);
    expect(audit.asked).toHaveLength(1);
    await clock.advance(1);
    await reaches(2);
    expect(requests.map(({ records }) => records.length)).toEqual([1, 1]);
  });

  it('are as small as their text asks for', async () => {
    const { origin, requests } = await receiver(answerWith(200));
    const audit = createFakeAudit(4, (seq) => ({
      sanitized_args: { text: 'x'.repeat(seq === 4 ? 3_000_000 : 600_000) },
    }));
    const { reaches } = streams({ audit, targets: [webhookTo(origin)] });
    await reaches(4);
    expect(requests.map(({ records }) => records.length)).toEqual([1, 1, 1, 1]);
  });
});

describe('the lag', () => {
  it('is counted in records, and in seconds of the oldest that is being sent', async () => {
    const { origin, arrived } = await receiver(neverAnswer);
    const clock = watchClock(createManualClock(100_000));
    const { lag, close } = streams({ audit: createFakeAudit(5), targets: [webhookTo(origin)], clock });
    expect(lag()).toEqual([]);
    await arrived.reaches(1);
    expect(lag()).toEqual([{ target: expect.stringMatching(/^webhook-[0-9a-f]{12}$/), records: 5, seconds: 99 }]);
    void close(0);
    await clock.advance(0);
  });

  it('is nothing when all is sent', async () => {
    const { origin } = await receiver(answerWith(200));
    const { reaches, lag } = streams({ audit: createFakeAudit(5), targets: [webhookTo(origin)] });
    await reaches(5);
    expect(lag()).toMatchObject([{ records: 0, seconds: 0 }]);
  });
});

describe('close', () => {
  it('sends what waits for more', async () => {
    const { origin, seqs } = await receiver(answerWith(200));
    const audit = createFakeAudit();
    const { close } = streams({ audit, targets: [webhookTo(origin)], flushIntervalMs: 3_600_000 });
    audit.keep(3);
    await close(60_000);
    expect(seqs()).toEqual([1, 2, 3]);
    expect(audit.listeners.size).toBe(0);
  });

  it('tries a target that it finds waiting once more, and then leaves it', async () => {
    const { origin, requests } = await receiver(answerWith(500));
    const clock = watchClock(createManualClock());
    const { close, kept } = streams({
      audit: createFakeAudit(3),
      targets: [webhookTo(origin)],
      clock,
      randomUnit: () => 1,
    });
    await clock.slept.reaches(1);
    await close(60_000);
    expect(requests).toHaveLength(2);
    expect(kept).toEqual([]);
    expect(clock.sleeping()).toBe(0);
  });

  it('cuts off a request at the end of the grace', async () => {
    const { origin, arrived, cutOff } = await receiver(neverAnswer);
    const clock = watchClock(createManualClock());
    const { close, kept } = streams({ audit: createFakeAudit(3), targets: [webhookTo(origin)], clock });
    await arrived.reaches(1);
    const closed = close(1000);
    await clock.advance(999);
    expect(cutOff.count).toBe(0);
    await clock.advance(1);
    await closed;
    await cutOff.reaches(1);
    expect(kept).toEqual([]);
  });

  it('is the end: nothing starts afterwards', async () => {
    const { origin, requests } = await receiver(answerWith(200));
    const audit = createFakeAudit();
    const { close, start } = streams({ audit, targets: [webhookTo(origin)] });
    await close(0);
    start();
    audit.keep(5);
    await close(0);
    expect(requests).toEqual([]);
  });
});
