// The audit log in PostgreSQL: a chain for each daemon that outlives it, one log of all of them, verified on the spot and
// offline; and what a daemon does that cannot record.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AuditEvent, auditOf, briefly } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { databasePassword, query, startPostgres } from './support/postgres.js';
import { startCollector } from './support/siem.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const cli = join(repository, 'apps/cli/dist/main.js');
let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

const freshUrl = async () => server.url(await server.createDatabase());

interface DaemonState {
  readonly url: string;
  readonly stateDir: string;
}

const newState = (url: string): DaemonState => ({ url, stateDir: join(tempFolder(), 'state') });

async function startBy<D extends Daemon>(
  starter: (config: object, options: { readonly stateDir: string }) => Promise<D>,
  { url, stateDir }: DaemonState,
  audit: object,
) {
  const upstream = scripted({ tools: [tool('a'), tool('b')] });
  const daemon = await starter({ mcpServers: { s: upstream.server }, audit, storage: { url } }, { stateDir });
  await daemon.connected();
  const calls = async (id: string, count: number) => {
    for (let n = 0; n < count; n++) expect((await daemon.call(id, { n })).status).toBe(200);
  };
  return { daemon, upstream, calls, ...auditOf(daemon) };
}

const start = (place: DaemonState, audit = {}) => startBy(startDaemon, place, audit);
/** For tests of a process: a signal, an exit code, its stderr. */
const startProcess = (place: DaemonState, audit = {}) => startBy(startDaemonProcess, place, audit);

type Started = Awaited<ReturnType<typeof start>>;

/** The export, and what `portico audit verify` says of it. */
async function exported({ daemon }: Started, change = (text: string) => text) {
  const response = await fetch(`${daemon.url}/v1/audit/export`);
  const file = join(tempFolder(), 'audit.jsonl');
  const text = change(await response.text());
  writeFileSync(file, text);
  const { status, stdout } = spawnSync(process.execPath, [cli, 'audit', 'verify', file], { encoding: 'utf8' });
  return { text, status, stdout };
}

const chainsIn = (events: readonly AuditEvent[]) => [...new Set(events.map(({ chain_id }) => chain_id))];

describe.each(['SIGTERM', 'SIGKILL'] as const)('the records of a daemon that ends by %s', (signal) => {
  it('are there when it starts again, and its chain goes on [daemon-storage-url]', async () => {
    const place = newState(await freshUrl());
    const first = await startProcess(place);
    await first.calls('s.a', 3);
    const before = await first.events();
    await first.daemon.stop(signal);
    const second = await start(place);
    await second.calls('s.b', 2);
    const events = await second.events();
    expect(events.slice(-before.length)).toEqual(before);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => events.length - i));
    expect(chainsIn(events)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(events.filter(({ capability_id }) => capability_id === 's.a')).toHaveLength(3);
    const [newest] = events;
    expect((await second.daemon.get(`/v1/audit/events/${newest?.id}`)).body).toEqual({ ok: true, event: newest });
    const report = await second.report();
    expect(report).toMatchObject({ is_valid: true, total_records: events.length, first_corrupted_id: null });
    const { status, stdout, text } = await exported(second);
    expect([status, text.trimEnd().split('\n').length]).toEqual([0, events.length]);
    expect(stdout).toContain(`valid, ${events.length} records; chain ${newest?.chain_id}: the chain ends at`);
    await second.daemon.stop();
  });
});

describe('two daemons on one database', () => {
  it('show the records of both, verify both chains, and find a changed record [daemon-storage-url]', async () => {
    const url = await freshUrl();
    const [one, other] = [await start(newState(url)), await start(newState(url))];
    await one.calls('s.a', 2);
    await one.events(); // they are kept
    await other.calls('s.b', 2);
    await other.events();
    for (const daemon of [one, other]) {
      const events = await daemon.events();
      expect(briefly(events)).toEqual(Array.from({ length: 4 }, () => 'tool_call success'));
      expect(chainsIn(events)).toHaveLength(2);
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      const report = await daemon.report();
      expect([report.is_valid, report.total_records, report.chains?.length]).toEqual([true, events.length, 2]);
      const stats = await daemon.daemon.get<{ total_events: number; by_capability: object }>('/v1/audit/stats');
      expect(stats.body).toMatchObject({
        total_events: events.length,
        by_capability: [
          { capability_id: 's.a', count: 2 },
          { capability_id: 's.b', count: 2 },
        ],
      });
      expect((await daemon.list('?capability_id=s.b')).body.total).toBe(2);
      expect((await exported(daemon)).status).toBe(0);
    }
    await other.daemon.stop(); // the chain of an ended one is checked too
    const [wrong] = (await one.events('?capability_id=s.b')) ?? [];
    const cut = await exported(one, (text) => text.replace(/.*"capability_id":"s.b".*\n/, ''));
    expect([cut.status, cut.stdout]).toEqual([1, expect.stringContaining('NOT VALID')]);
    await query(
      url,
      `update audit_records set line = replace(line, '"success"', '"failed"') where line like '%${wrong?.id}%'`,
    );
    const report = await one.report();
    expect(report).toMatchObject({ is_valid: false, first_corrupted_id: wrong?.id });
    expect(report.details).toContain(`chain ${wrong?.chain_id}`);
    await one.daemon.stop();
  });

  it('send to SIEM targets what is their own, each once [daemon-storage-url]', async () => {
    const url = await freshUrl();
    const collector = await startCollector();
    const audit = { flushIntervalMs: 20, siem: { targets: [{ type: 'webhook', url: collector.url }] } };
    const places = [newState(url), newState(url)] as const;
    const [one, other] = [await start(places[0], audit), await start(places[1], audit)];
    await one.calls('s.a', 3);
    await other.calls('s.b', 3);
    await eventually(() => expect(collector.taken()).toHaveLength(8));
    await one.daemon.stop();
    await other.daemon.stop();
    const again = await start(places[0], audit);
    await again.calls('s.a', 1);
    const all = await again.events();
    await eventually(() => expect(collector.taken()).toHaveLength(all.length));
    expect(new Set(collector.taken().map(({ id }) => id))).toEqual(new Set(all.map(({ id }) => id)));
    await again.daemon.stop();
  });
});

it('refuses calls while the database is away, goes on when it is back, and has nothing twice [daemon-storage-url]', async () => {
  const started = await startProcess(newState(await freshUrl()), { durability: 'strict' });
  const { daemon, upstream, calls, events } = started;
  await calls('s.a', 2);
  await server.kill();
  await eventually(async () =>
    expect((await daemon.call('s.a', {})).body.error?.message).toContain('audit log cannot'),
  );
  const sent = upstream.received('tools/call').length;
  expect((await daemon.call('s.a', {})).body).toMatchObject({ ok: false, error: { code: 'INTERNAL_ERROR' } });
  expect(upstream.received('tools/call')).toHaveLength(sent);
  await eventually(async () => expect((await daemon.get('/readyz')).status).toBe(503));
  await server.start();
  await eventually(async () => expect((await daemon.get('/readyz')).status).toBe(200));
  await calls('s.b', 1);
  const records = await events();
  expect(records.filter(({ event_type }) => event_type === 'tool_call')).toHaveLength(sent + 1);
  expect(records.find(({ event_type }) => event_type === 'audit_gap')?.details).toMatchObject({ reason: 'unwritable' });
  expect((await started.report()).is_valid).toBe(true);
  expect(daemon.stderr()).not.toContain(databasePassword);
  expect((await daemon.stop()).code).toBe(0);
});

it('keeps a file beside the database where one is named, each daemon its own [daemon-storage-url]', async () => {
  const url = await freshUrl();
  const { daemon, calls, events, report } = await start(newState(url), { filePath: join(tempFolder(), 'audit.jsonl') });
  await calls('s.a', 1);
  expect(chainsIn(await events())).toEqual([undefined]);
  expect(await report()).toMatchObject({ is_valid: true, total_records: 2 });
  await daemon.stop();
  expect(await query(url, 'select count(*)::int as rows from audit_records')).toEqual([{ rows: 0 }]);
  const heads = await query(url, 'select log from audit_heads');
  expect(heads).toEqual([{ log: expect.stringMatching(/^[0-9a-f]{32}:\/.*audit\.jsonl$/) }]);
});
