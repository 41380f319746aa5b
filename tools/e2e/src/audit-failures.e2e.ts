// The audit log when things go wrong: a disk that fills up, a file that is taken away, a service that is killed in a
// storm. No call runs without a record, and missing records are reported.
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuditEvent, auditOf, expectChain } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, parseLines, startDaemon } from './support/daemon.js';
import { type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

function setUp(folder: string, audit: object) {
  const upstream = scripted({ tools: [tool('a'), tool('gated')] });
  const file = join(folder, 'audit.jsonl');
  const config = {
    mcpServers: { s: withoutFileLimit(upstream.server) },
    policy: { requireApproval: ['s.gated'] },
    audit: { filePath: file, flushIntervalMs: 10, ...audit },
  };
  const contacts = () => upstream.received('tools/call').length;
  const records = () => parseLines(readFileSync(file, 'utf8')) as unknown as readonly AuditEvent[];
  const connected = async <D extends Daemon>(daemon: D) => {
    await daemon.connected();
    return { daemon, file, contacts, records, ...auditOf(daemon) };
  };
  return { config, stateDir: join(folder, 'state'), connected };
}

async function start(folder: string, audit: object = {}) {
  const { config, stateDir, connected } = setUp(folder, audit);
  return connected(await startDaemon(config, { stateDir }));
}

/** For those that are killed, and those whose files may not grow. */
async function startProcess(folder: string, audit: object, options: DaemonProcessOptions = {}) {
  const { config, stateDir, connected } = setUp(folder, audit);
  return connected(await startDaemonProcess(config, { stateDir, ...options }));
}

/** The limit is that of the daemon; the server's own journal must be complete, whichever of the two grows faster. */
const withoutFileLimit = ({ command, args }: { readonly command: string; readonly args: readonly string[] }) => ({
  command: '/bin/sh',
  args: ['-c', 'ulimit -S -f unlimited; exec "$0" "$@"', command, ...args],
});

const unavailable = {
  status: 500,
  body: {
    ok: false,
    error: { code: 'INTERNAL_ERROR', message: expect.stringContaining('the audit log cannot be written') },
    retry: { classification: 'safe', upstream_execution_state: 'not_started' },
  },
};
const note = 'x'.repeat(20_000);

describe.each(['buffered', 'strict'])('a disk that is full, under a log that is %s', (durability) => {
  it('refuses calls before they are sent, and every call that ran is recorded', async () => {
    const { daemon, contacts, records, report } = await startProcess(
      tempFolder(),
      { durability },
      { maxFileBlocks: 1200 },
    );
    let answered = 0;
    await eventually(async () => {
      const { status } = await daemon.call('s.a', { note });
      if (status === 200) answered += 1;
      expect(status).toBe(500);
    });
    await eventually(async () => expect(await daemon.call('s.a', { note })).toMatchObject(unavailable));
    const ran = contacts();
    expect(ran).toBeGreaterThan(10);
    for (let n = 0; n < 5; n++) {
      expect(await daemon.call('s.a', {}, { idempotency_key: `k-${n}` })).toMatchObject(unavailable);
      expect(await daemon.call('s.gated')).toMatchObject(unavailable);
      expect((await daemon.post('/v1/resources/read', { resource_id: 's.x:y' })).status).toBe(500);
    }
    expect(contacts()).toBe(ran);
    expect((await daemon.get<{ total: number }>('/v1/approvals')).body.total).toBe(0);
    // The remaining file is valid, and no successful call is missing where the log is strict.
    expectChain(records());
    expect(await report()).toMatchObject({ is_valid: true });
    const written = records().filter(({ event_type }) => event_type === 'tool_call').length;
    if (durability === 'strict') expect(written).toBeGreaterThanOrEqual(answered);
    expect(daemon.log().filter(({ message }) => /audit log/.test(String(message))).length).toBeLessThan(10);
    expect((await daemon.stop()).code).toBe(0);
  });

  it('is reported by the next start, to the record', async () => {
    const folder = tempFolder();
    const { daemon, contacts } = await startProcess(folder, { durability }, { maxFileBlocks: 1200 });
    await eventually(async () => expect((await daemon.call('s.a', { note })).status).toBe(500));
    const ran = contacts();
    await daemon.stop('SIGKILL');
    const next = await start(folder, { durability });
    await next.daemon.stop();
    expectChain(next.records());
    const calls = next.records().filter(({ event_type, seq }) => event_type === 'tool_call' && seq > 1).length;
    const gap = next.records().find(({ event_type }) => event_type === 'audit_gap')?.details;
    const { lost_records: lost = 0, unfinished_actions: unfinished = 0 } = gap ?? {};
    expect(calls + Number(lost) + Number(unfinished)).toBeGreaterThanOrEqual(ran);
    expect(calls + Number(lost) + Number(unfinished)).toBeLessThanOrEqual(ran + 2);
  });
});

describe('a file that is taken away', () => {
  it('turns into refusals, and into a gap record with their number when it is back', async () => {
    const { daemon, file, contacts, records } = await start(tempFolder());
    expect((await daemon.call('s.a')).status).toBe(200);
    await eventually(() => expect(records().at(-1)).toMatchObject({ event_type: 'tool_call' }));
    renameSync(file, `${file}.away`);
    await eventually(async () => expect(await daemon.call('s.a')).toMatchObject(unavailable));
    const ran = contacts();
    for (let n = 0; n < 3; n++) expect((await daemon.call('s.a')).status).toBe(500);
    expect(contacts()).toBe(ran);
    expect(await daemon.get('/readyz')).toMatchObject({
      status: 503,
      body: { ok: false, error: { message: expect.stringContaining('not ready: the audit log cannot be written') } },
    });
    renameSync(`${file}.away`, file);
    await eventually(async () => expect((await daemon.call('s.a')).status).toBe(200));
    expect((await daemon.get('/readyz')).status).toBe(200);
    await daemon.stop();
    expectChain(records());
    const gap = records().find(({ event_type }) => event_type === 'audit_gap');
    expect(gap).toMatchObject({ status: 'failed', details: { reason: 'unwritable' } });
    expect(Number(gap?.details?.refused)).toBeGreaterThanOrEqual(4);
    expect(records().filter(({ event_type }) => event_type === 'tool_call')).toHaveLength(contacts());
  });
});

describe('a kill in a storm of calls', () => {
  it.each([
    ['buffered', { flushIntervalMs: 40 }],
    ['buffered', { flushIntervalMs: 1000, maxBatchSize: 7 }],
    ['strict', { durability: 'strict' }],
  ])(
    'leaves a file that verifies, and a gap that accounts for every call (%s)',
    async (durability, audit) => {
      const folder = tempFolder();
      let contacted = 0;
      let answered = 0;
      for (let round = 0; round < 3; round++) {
        const { daemon, contacts } = await startProcess(folder, audit);
        const before = answered;
        const storm = Array.from({ length: 16 }, async () => {
          for (;;) {
            const reply = await daemon.call('s.a', { round }).catch(() => undefined);
            if (reply === undefined) return;
            if (reply.status === 200) answered += 1;
          }
        });
        await eventually(() => expect(answered - before).toBeGreaterThan(40 + 60 * round));
        await daemon.stop('SIGKILL');
        await Promise.all(storm);
        contacted += contacts();
      }
      const { daemon, records, report } = await start(folder, audit);
      expect(await report()).toMatchObject({ is_valid: true });
      await daemon.stop();
      expectChain(records());
      const calls = records().filter(({ event_type }) => event_type === 'tool_call').length;
      const gaps = records().flatMap(({ event_type, details }) => (event_type === 'audit_gap' ? [details ?? {}] : []));
      const sum = (name: string) => gaps.reduce((total, details) => total + Number(details[name] ?? 0), 0);
      const accounted = calls + sum('lost_records') + sum('unfinished_actions');
      expect(accounted).toBeGreaterThanOrEqual(contacted);
      // Calls that had begun and not reached the server when it was killed: 16 at most each time.
      expect(accounted).toBeLessThanOrEqual(contacted + 3 * 17);
      if (durability === 'strict') expect(calls).toBeGreaterThanOrEqual(answered);
    },
    60_000,
  );
});
