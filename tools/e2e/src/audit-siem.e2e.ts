// Audit records at SIEM targets: all of them, in order, at least once, with any failure of a target, and no call waits
// for one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuditEvent, expectChain } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, parseLines, startDaemon } from './support/daemon.js';
import { type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { type Mood, startCollector, startSplunk } from './support/siem.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually, freePort } from './support/wait.js';

const token = 'hec-token-of-this-test';

function setUp(targets: readonly object[], audit: object, folder: string) {
  const upstream = scripted({ tools: [tool('a')] });
  const file = join(folder, 'audit.jsonl');
  const config = {
    mcpServers: { s: upstream.server },
    audit: { filePath: file, flushIntervalMs: 20, maxBatchSize: 10, siem: { targets }, ...audit },
  };
  const records = () => parseLines(readFileSync(file, 'utf8')) as unknown as readonly AuditEvent[];
  const connected = async <D extends Daemon>(daemon: D) => {
    await daemon.connected();
    const calls = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, (_, n) => daemon.call('s.a', { n })));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    };
    return { daemon, calls, records };
  };
  return { config, stateDir: join(folder, 'state'), connected };
}

async function start(targets: readonly object[], audit: object = {}) {
  const { config, stateDir, connected } = setUp(targets, audit, tempFolder());
  return connected(await startDaemon(config, { stateDir }));
}

/** For tests of a process: being killed, its exit code, and a clock of its own. */
async function startProcess(targets: readonly object[], folder: string, options: DaemonProcessOptions = {}) {
  const { config, stateDir, connected } = setUp(targets, {}, folder);
  return connected(await startDaemonProcess(config, { stateDir, ...options }));
}

/** The records as they first arrived. */
const firstArrivals = (events: readonly AuditEvent[]) => [
  ...new Map(events.map((event) => [event.seq, event])).values(),
];

describe('a SIEM target', () => {
  it('of type webhook gets every record in batches, with its header and headers [audit-siem-webhook-target] [audit-siem-batches] [audit-siem-config]', async () => {
    const collector = await startCollector();
    const target = {
      type: 'webhook',
      url: `${collector.url}/in`,
      authHeader: 'Bearer s3cret',
      headers: { 'X-Team': 'a' },
    };
    const { calls, records } = await start([target]);
    await calls(35);
    await eventually(() => expect(collector.taken()).toHaveLength(36));
    expect(collector.taken()).toEqual(records());
    expectChain(collector.taken());
    expect(collector.requests.length).toBeGreaterThan(3);
    for (const { path, headers, events } of collector.requests) {
      expect([path, headers.authorization, headers['x-team']]).toEqual(['/in', 'Bearer s3cret', 'a']);
      expect(headers['content-type']).toBe('application/json');
      expect(events.length).toBeLessThanOrEqual(10);
    }
  });

  it('of type splunk_hec gets one event object a record [audit-siem-splunk-target]', async () => {
    const splunk = await startSplunk(token);
    const { calls, records } = await start([
      { type: 'splunk_hec', url: splunk.url, token, index: 'main', source: 'portico' },
    ]);
    await calls(3);
    await eventually(() => expect(splunk.taken()).toHaveLength(4));
    expect(splunk.taken()).toEqual(
      records().map((event) => ({
        time: Date.parse(event.timestamp) / 1000,
        event,
        index: 'main',
        source: 'portico',
        sourcetype: 'portico:audit',
      })),
    );
    expect(splunk.requests[0]?.path).toBe('/services/collector/event');
  });

  it('gets a batch of maxBatchSize records without waiting for more [limit-audit-batch-siem]', async () => {
    const collector = await startCollector();
    const { calls } = await start([{ type: 'webhook', url: collector.url }], {
      flushIntervalMs: 60_000,
      maxBatchSize: 4,
    });
    await calls(2);
    expect(collector.requests).toEqual([]);
    await calls(1);
    await eventually(() => expect(collector.taken()).toHaveLength(4));
    expect(collector.requests).toHaveLength(1);
  });

  it('that fails half the time ends with every record at least once, in order, and nothing else waited', async () => {
    const moods: readonly Mood[] = ['fine', 'busy', 'fine', 'drops', 'takes and drops', 'fine'];
    const splunk = await startSplunk(token, (count) => moods[count % moods.length] ?? 'fine');
    const collector = await startCollector();
    const { calls, records, daemon } = await start([
      { type: 'splunk_hec', url: splunk.url, token },
      { type: 'webhook', url: `http://127.0.0.1:${await freePort()}/dead` },
      { type: 'webhook', url: collector.url },
    ]);
    await calls(60);
    await eventually(() => expect(collector.taken()).toHaveLength(61));
    await eventually(() => expect(firstArrivals(splunk.taken().map(({ event }) => event))).toHaveLength(61), 60_000);
    expect(firstArrivals(splunk.taken().map(({ event }) => event))).toEqual(records());
    expect(splunk.requests.some(({ isTaken }) => !isTaken)).toBe(true);
    expect(daemon.logText()).not.toContain(token);
    await eventually(async () => {
      const { text } = await daemon.get<undefined>('/metrics');
      expect(text).toMatch(/^portico_audit_siem_lag_records\{target="webhook-[0-9a-f]+"\} 61$/m);
      expect(text.match(/^portico_audit_siem_lag_records\{.*\} 0$/gm)).toHaveLength(2);
    });
  }, 90_000);

  it('that was away gets after a restart what it has not got, however the service ended', async () => {
    let mood: Mood = 'fine';
    const collector = await startCollector(() => mood);
    const targets = [{ type: 'webhook', url: collector.url }];
    const folder = tempFolder();
    const first = await startProcess(targets, folder);
    await first.calls(10);
    await eventually(() => expect(firstArrivals(collector.taken())).toHaveLength(11));
    mood = 'busy';
    await first.calls(10);
    await eventually(() => expect(first.records()).toHaveLength(21));
    await first.daemon.stop('SIGKILL');
    const before = collector.taken().length;
    mood = 'fine';
    // Records left at its end have 2 s on its clock, and here five times as long.
    const second = await startProcess(targets, folder, { clockFactor: 0.2 });
    await second.calls(5);
    await eventually(() => expect(second.records().length).toBeGreaterThanOrEqual(27));
    await eventually(() => expect(firstArrivals(collector.taken())).toEqual(second.records()));
    // Records taken before the restart are not sent again, but for those on their way.
    expect(collector.taken().slice(before)[0]?.seq).toBeGreaterThan(1);
    await second.daemon.stop();
    expect(firstArrivals(collector.taken()).at(-1)).toMatchObject({ event_type: 'service_stop' });
  });

  it('that gives no answer delays neither calls nor the end of the service', async () => {
    const collector = await startCollector(() => 'silent');
    // An answer is waited for 10 s on its clock: here longer than its end is, before it is killed.
    const options = { clockFactor: 0.5 };
    const { calls, daemon } = await startProcess([{ type: 'webhook', url: collector.url }], tempFolder(), options);
    await calls(30);
    await eventually(() => expect(collector.requests.length).toBeGreaterThan(0));
    expect((await daemon.stop()).code).toBe(0);
  });
});
