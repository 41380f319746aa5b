// The audit log in a file: what stands there and when, what a crash leaves, what tampering is found, who may write it.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type * as Host from '@portico/host';
import { describe, expect, it } from 'vitest';
import { type AuditEvent, auditOf, expectChain } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, parseLines, repository, startDaemon } from './support/daemon.js';
import { runDaemon, startDaemonProcess } from './support/daemon-process.js';
import { importBuilt } from './support/serve-built.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const cli = join(repository, 'apps/cli/dist/main.js');
const upstreamOf = () => scripted({ tools: [tool('a'), tool('slow')] });

interface LogFiles {
  readonly file: string;
  readonly stateDir: string;
}

function newLogFiles(): LogFiles {
  const folder = tempFolder();
  return { file: join(folder, 'log/audit.jsonl'), stateDir: join(folder, 'state') };
}

async function startBy<D extends Daemon>(
  starter: (config: object, options: { readonly stateDir: string }) => Promise<D>,
  { file, stateDir }: LogFiles,
  audit: object,
) {
  const upstream = upstreamOf();
  const daemon = await starter(
    { mcpServers: { s: upstream.server }, audit: { filePath: file, ...audit } },
    { stateDir },
  );
  await daemon.connected();
  const calls = async (count: number) => {
    for (let n = 0; n < count; n++) expect((await daemon.call('s.a', { n })).status).toBe(200);
  };
  return { daemon, upstream, calls, ...auditOf(daemon) };
}

const start = (place: LogFiles, audit = {}) => startBy(startDaemon, place, audit);
/** For a daemon that gets a signal. */
const startProcess = (place: LogFiles, audit = {}) => startBy(startDaemonProcess, place, audit);

const textOf = ({ file }: LogFiles) => readFileSync(file, 'utf8');
const linesOf = (place: LogFiles) => textOf(place).split('\n').slice(0, -1);
const recordsOf = (place: LogFiles) => parseLines(textOf(place)) as unknown as readonly AuditEvent[];
const gapsOf = (place: LogFiles) =>
  recordsOf(place)
    .filter(({ event_type }) => event_type === 'audit_gap')
    .map(({ details }) => details);

/** `portico audit verify` on the file. */
function verify({ file }: LogFiles, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'audit', 'verify', file, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Output of that command with `--json`. */
async function reportOf({ file }: LogFiles) {
  const { verifyAuditFile } = await importBuilt<typeof Host>(repository, 'packages/host/dist/index.js');
  return verifyAuditFile(file);
}

/** A log of a service that has ended: its start, calls, and its stop. */
async function finishedLog(calls = 5): Promise<LogFiles> {
  const place = newLogFiles();
  const started = await start(place);
  await started.calls(calls);
  await started.daemon.stop();
  return place;
}

describe('the audit file', () => {
  it('gets one JSON line a record, in order, and is readable by its owner only [audit-file]', async () => {
    const place = newLogFiles();
    const { daemon, calls, events } = await start(place);
    await calls(3);
    await eventually(() => expect(recordsOf(place)).toHaveLength(4));
    expect(recordsOf(place).toReversed()).toEqual(await events());
    expectChain(recordsOf(place));
    expect(statSync(place.file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(place.file)).mode & 0o777).toBe(0o700);
    const before = textOf(place);
    await daemon.stop();
    expect(textOf(place).startsWith(before)).toBe(true);
  });

  it('is found beside the configuration file where its path is relative', async () => {
    const folder = tempFolder();
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({ mcpServers: {}, audit: { filePath: 'logs/audit.jsonl' } }));
    const daemon = await startDaemon(undefined, { configFile: config, stateDir: join(folder, 'state') });
    await daemon.stop();
    expect(existsSync(join(folder, 'logs/audit.jsonl'))).toBe(true);
  });

  it('gets what waits at a stop, and goes on with the chain at the next start [daemon-sigterm-flushes-audit]', async () => {
    const place = newLogFiles();
    const lazy = { flushIntervalMs: 60_000, maxBatchSize: 100_000 };
    const first = await startProcess(place, lazy);
    await first.calls(3);
    expect((await first.daemon.stop()).code).toBe(0);
    const types = ['service_start', 'tool_call', 'tool_call', 'tool_call', 'service_stop'];
    expect(recordsOf(place).map(({ event_type }) => event_type)).toEqual(types);
    const second = await start(place, lazy);
    await second.calls(3);
    await second.daemon.stop();
    expect(recordsOf(place).map(({ event_type }) => event_type)).toEqual([...types, ...types]);
    expectChain(recordsOf(place));
  });

  it('gets records when they have waited for flushIntervalMs [limit-audit-flush]', async () => {
    const place = newLogFiles();
    const { calls } = await start(place, { flushIntervalMs: 50, maxBatchSize: 100_000 });
    await calls(3);
    await eventually(() => expect(recordsOf(place)).toHaveLength(4));
  });

  it('gets a batch of maxBatchSize records at once, and no smaller one before its time [limit-audit-batch]', async () => {
    const place = newLogFiles();
    const { calls } = await start(place, { flushIntervalMs: 60_000, maxBatchSize: 5 });
    await calls(3);
    expect(textOf(place)).toBe('');
    await calls(1);
    await eventually(() => expect(recordsOf(place)).toHaveLength(5));
  });

  it('has the record of every call that was answered, where it is strict', async () => {
    const place = newLogFiles();
    const { daemon } = await start(place, { durability: 'strict', flushIntervalMs: 60_000 });
    for (let n = 0; n < 20; n++) {
      const { trace_id } = (await daemon.call('s.a', { n })).body;
      expect(recordsOf(place).at(-1)).toMatchObject({ trace_id, sanitized_args: { n } });
    }
  });

  it('takes more records than may wait, and loses none [limit-audit-buffer]', async () => {
    const place = newLogFiles();
    const { daemon } = await start(place, { bufferCapacity: 3, maxBatchSize: 2, flushIntervalMs: 10 });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => daemon.call('s.a', { n })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await daemon.stop();
    const noted = recordsOf(place).flatMap(({ sanitized_args }) => sanitized_args?.n ?? []);
    expect(noted.sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  it('answers every query of the list as the log in memory does, after a restart too', async () => {
    const place = await finishedLog(30);
    const { list, events, daemon, calls } = await start(place);
    await calls(5);
    const all = (await events()).length;
    expect(all).toBe(38);
    expect((await list('?event_type=tool_call&limit=7&offset=30')).body).toMatchObject({ total: 35 });
    expect(await events('?event_type=tool_call&limit=7&offset=30')).toHaveLength(5);
    expect((await events('?event_type=service_start')).map(({ seq }) => seq)).toEqual([33, 1]);
    expect((await daemon.get('/v1/audit/stats')).body).toMatchObject({ total_events: all });
    const { text } = await daemon.get('/v1/audit/export');
    await eventually(() => expect(textOf(place)).toBe(text));
  });
});

describe('after a crash', () => {
  it('half a line is cut off, the log says so, and the chain goes on', async () => {
    const place = await finishedLog();
    const whole = linesOf(place).length;
    appendFileSync(place.file, '{"id":"aud-0000');
    const { report, daemon } = await start(place);
    expect(await report()).toMatchObject({ is_valid: true });
    await daemon.stop();
    expectChain(recordsOf(place));
    expect(recordsOf(place)[whole]).toMatchObject({ event_type: 'audit_gap', details: { cut_bytes: 15 } });
  });

  it('the log says how many records never reached the file, and how many calls left none', async () => {
    const place = newLogFiles();
    const lazy = { flushIntervalMs: 60_000, maxBatchSize: 100_000 };
    const { daemon, calls, upstream } = await startProcess(place, lazy);
    await calls(4);
    const running = daemon.call('s.slow', { ms: 60_000 }).catch(() => undefined);
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(5));
    await daemon.stop('SIGKILL');
    await running;
    const next = await start(place);
    await next.daemon.stop();
    expectChain(recordsOf(place));
    // The start of the service and four calls were sealed; the fifth call had begun.
    expect(gapsOf(place)).toMatchObject([{ lost_records: 5, unfinished_actions: 1 }]);
  });

  it('nothing is missing where nothing was', async () => {
    const place = await finishedLog();
    const { daemon } = await startProcess(place, { flushIntervalMs: 1 });
    await daemon.call('s.a');
    await eventually(() => expect(recordsOf(place).at(-1)).toMatchObject({ event_type: 'tool_call' }));
    await daemon.stop('SIGKILL');
    await (await start(place)).daemon.stop();
    expect(gapsOf(place)).toEqual([]);
    expectChain(recordsOf(place));
  });
});

describe('tampering', () => {
  const edits: readonly [string, (lines: string[]) => string, number][] = [
    ['a flipped byte', (lines) => `${lines.join('\n').replace('"n":2', '"n":3')}\n`, 4],
    ['a removed first line', (lines) => `${lines.slice(1).join('\n')}\n`, 1],
    ['a removed middle line', (lines) => `${lines.toSpliced(3, 1).join('\n')}\n`, 4],
    [
      'two swapped lines',
      (lines) => `${[...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)].join('\n')}\n`,
      3,
    ],
    ['an inserted line', (lines) => `${lines.toSpliced(2, 0, lines[2] ?? '').join('\n')}\n`, 4],
  ];

  it.each(edits)('%s is found, in the file and by the service', async (_what, edit, place) => {
    const log = await finishedLog();
    const lines = linesOf(log);
    expect(await reportOf(log)).toMatchObject({ is_valid: true, total_records: 7 });
    const id = `aud-${String(place).padStart(12, '0')}`;

    const { daemon, report } = await start(log);
    const running = linesOf(log);
    await eventually(() => expect(linesOf(log).length).toBeGreaterThan(lines.length));
    expect(await report()).toMatchObject({ is_valid: true });
    writeFileSync(log.file, edit(running.length > lines.length ? running : linesOf(log)));
    expect(await report()).toMatchObject({ is_valid: false, first_corrupted_id: id, verified_records: place - 1 });
    await daemon.stop();

    writeFileSync(log.file, edit(lines));
    const found = verify(log);
    expect(found).toMatchObject({ status: 1, stdout: expect.stringContaining(id) });
    expect(found.stdout).toContain('NOT VALID');
    expect(await reportOf(log)).toMatchObject({ is_valid: false, first_corrupted_id: id });
  });

  it('a cut tail is found by a user who noted the head, and by the service when it starts', async () => {
    const log = await finishedLog();
    const lines = linesOf(log);
    const head = recordsOf(log).at(-1)?.hash ?? '';
    const whole = verify(log, '--head', head);
    expect(whole).toMatchObject({ status: 0, stdout: expect.stringContaining('valid, 7 records') });
    truncateSync(log.file, Buffer.byteLength(`${lines.slice(0, -2).join('\n')}\n`));
    expect(verify(log).status).toBe(0); // what is there is a chain
    expect(verify(log, '--head', head)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('record aud-000000000006'),
    });
    const { report: reported, daemon } = await start(log);
    await eventually(() => expect(gapsOf(log)).toHaveLength(1));
    expect(await reported()).toMatchObject({ is_valid: false, first_corrupted_id: 'aud-000000000006' });
    await daemon.stop();
    expect(gapsOf(log)).toMatchObject([{ reason: 'records_missing', expected_seq: 7, found_seq: 5 }]);
    expect(verify(log)).toMatchObject({ status: 1, stdout: expect.stringContaining('aud-000000000006') });
    const report = JSON.parse(verify(log, '--json').stdout);
    expect(report).toEqual(await reportOf(log));
    expect(report).toMatchObject({ is_valid: false, first_corrupted_id: 'aud-000000000006' });
  });

  it('needs a hash to compare with, and a file to read', async () => {
    const log = await finishedLog(1);
    expect(verify(log, '--head', 'abc')).toMatchObject({ status: 2, stdout: '' });
    expect(verify({ ...log, file: `${log.file}.none` })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${log.file}.none`),
    });
  });
});

function belowFile(folder: string): string {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  return join(file, 'audit.jsonl');
}

describe('a path that cannot be used', () => {
  it.each([
    ['is a directory', (folder: string) => folder],
    ['lies below a file', belowFile],
    ['lies where nothing can be created', () => '/proc/audit.jsonl'],
    ['is no file to append to', () => '/dev/full'],
  ])('stops the start with 2 where it %s', async (_what, pathOf) => {
    const filePath = pathOf(tempFolder());
    const { code, stderr, stdout } = await runDaemon({ mcpServers: {}, audit: { filePath } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(filePath);
  });

  it('stops the start with 2 where another daemon writes it, which goes on', async () => {
    const place = newLogFiles();
    const { daemon, calls } = await startProcess(place);
    const other = await runDaemon(
      { mcpServers: {}, audit: { filePath: place.file } },
      { stateDir: join(tempFolder(), 'other') },
    );
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(`process ${daemon.pid}`);
    await calls(1);
    await daemon.stop('SIGKILL');
    await (await start(place)).daemon.stop(); // the lock of a dead process blocks no other
  });

  it('is one that others could write: it is taken from them', async () => {
    const place = newLogFiles();
    mkdirSync(dirname(place.file), { recursive: true });
    writeFileSync(place.file, '', { mode: 0o666 });
    await (await start(place)).daemon.stop();
    expect(statSync(place.file).mode & 0o777).toBe(0o600);
  });
});
