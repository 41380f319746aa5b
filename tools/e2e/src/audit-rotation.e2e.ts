// The audit log over several segments: rotated under load, killed at any moment, pruned by age; and one that is in memory.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const cli = join(repository, 'apps/cli/dist/main.js');
/** So long that three of them fill a segment of the smallest size. */
const long = 'x'.repeat(400_000);

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
  audit: object = {},
) {
  const upstream = scripted({ tools: [tool('a')] });
  // Each record is written before the next call: a segment is sealed between two batches.
  const config = {
    mcpServers: { s: upstream.server },
    audit: { filePath: file, maxFileMb: 1, durability: 'strict', ...audit },
  };
  const daemon = await starter(config, { stateDir });
  await daemon.connected();
  const calls = async (count: number) => {
    for (let n = 0; n < count; n++) expect((await daemon.call('s.a', { n, long })).status).toBe(200);
  };
  return { daemon, calls, ...auditOf(daemon) };
}

const segmentsOf = ({ file }: LogFiles) =>
  readdirSync(dirname(file))
    .filter((name) => /\.jsonl\.\d{15}$/.test(name))
    .toSorted()
    .map((name) => join(dirname(file), name));

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
}

const verify = ({ file }: LogFiles) => run('audit', 'verify', file);

describe('a log that is longer than a segment', () => {
  it('is one log to the routes, to exports, to its checkpoints, and offline', async () => {
    const place = newLogFiles();
    const { daemon, calls, list, report } = await startBy(startDaemon, place);
    await calls(9);
    await eventually(() => expect(segmentsOf(place).length).toBeGreaterThanOrEqual(2));
    const { body } = await list('?limit=100');
    expect(body.total).toBe(body.events.at(0)?.seq);
    expect((await list('?capability_id=s.a')).body.total).toBe(9);
    expect(await report()).toMatchObject({ is_valid: true, total_records: body.total });
    const stats = await daemon.get<{ total_events: number; durable: boolean }>('/v1/audit/stats');
    expect(stats.body).toMatchObject({ total_events: body.total, durable: true });
    const exported = await daemon.get<string>('/v1/audit/export');
    const copy = join(tempFolder(), 'copy.jsonl');
    writeFileSync(copy, exported.text);
    expect(run('audit', 'verify', copy)).toMatchObject({ status: 0 });
    await daemon.stop();
    expect(verify(place)).toMatchObject({ status: 0 });
    expect(run('audit', 'verify', place.file, '--key', join(place.stateDir, 'audit.pub'))).toMatchObject({ status: 0 });
  });

  it('is found wrong where a segment was removed or altered', async () => {
    const place = newLogFiles();
    const { daemon, calls } = await startBy(startDaemon, place);
    await calls(9);
    await daemon.stop();
    const [first = '', second = ''] = segmentsOf(place);
    const text = readFileSync(second, 'utf8');
    writeFileSync(second, text.replace('"success"', '"denied"'));
    expect(verify(place)).toMatchObject({ status: 1, text: expect.stringContaining('NOT VALID') });
    writeFileSync(second, text);
    unlinkSync(first);
    const missing = expect.stringContaining('no record says that they were pruned');
    expect(verify(place)).toMatchObject({ status: 1, text: missing });
  });

  it('is one whole chain after a SIGKILL at any moment of many rotations', async () => {
    const place = newLogFiles();
    for (let round = 0; round < 3; round++) {
      const { daemon, calls, report } = await startBy(startDaemonProcess, place, { durability: 'strict' });
      expect(await report()).toMatchObject({ is_valid: true });
      const before = segmentsOf(place).length;
      const storm = Promise.all([calls(100), calls(100)]).catch(() => {}); // the kill ends it
      await eventually(() => expect(segmentsOf(place).length).toBeGreaterThan(before + round));
      await daemon.stop('SIGKILL');
      await storm;
      expect(verify(place).text).not.toContain('seq is');
    }
    const { report } = await startBy(startDaemon, place);
    expect(await report()).toMatchObject({ is_valid: true });
  });
});

describe('a log without a file', () => {
  it('says that it is in memory: at the start, in its counts, and when it is verified', async () => {
    const daemon = await startDaemonProcess({ mcpServers: {} });
    const stats = await daemon.get<{ durable: boolean }>('/v1/audit/stats');
    expect(stats.body.durable).toBe(false);
    const { details } = await auditOf(daemon).report();
    expect(details).toMatch(/; in memory since \d{4}-\d\d-\d\d \d\d:\d\d UTC; earlier records are no longer kept$/);
    const warnings = daemon
      .stderr()
      .split('\n')
      .filter((line) => line.includes('the audit log is in memory'));
    expect(warnings).toHaveLength(1);
  });
});
