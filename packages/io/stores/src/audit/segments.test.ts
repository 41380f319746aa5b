// A log over several segments is one log: for reads, verification, signatures, recovery after a crash, and pruning.
import { copyFile, link, readdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditFileOptions } from './audit-file.js';
import { openLogHandle } from './log-handle.js';
import { createAuditFiles, draftOf, recordsOf } from './testing/audit-files.js';
import { verifyFile } from './verify-file.js';

const files = createAuditFiles();
afterEach(() => files.removeAll());

const small: Partial<AuditFileOptions> = { maxFileBytes: 2000, isStrict: true };
const names = async (directory: string) =>
  (await readdir(directory)).filter((name) => /^audit\.jsonl(\.\d+)?$/.test(name)).toSorted();
const pathOf = (directory: string) => join(directory, 'audit.jsonl');

type Log = Awaited<ReturnType<typeof files.open>>;

async function append(log: Log, count: number, some: Parameters<typeof draftOf>[0] = {}) {
  for (let i = 0; i < count; i++) await log.append(draftOf({ capability_id: `s.t${i % 3}`, duration_us: i, ...some }));
}

async function filled(options: Partial<AuditFileOptions> = {}, count = 40) {
  const directory = await files.createDirectory();
  const log = await files.open(directory, { ...small, ...options });
  await append(log, count);
  return { directory, log };
}

async function expectWhole(directory: string, log: Log, count: number) {
  expect(await log.verify()).toMatchObject({ is_valid: true, total_records: count, verified_records: count });
  expect((await recordsOf(log)).map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  await log.close();
  expect(await verifyFile(pathOf(directory))).toMatchObject({ is_valid: true, total_records: count });
}

describe('a log in segments', () => {
  it('is one log to lists, counts, single records, exports, streams and verification', async () => {
    const { directory, log } = await filled();
    expect((await names(directory)).length).toBeGreaterThan(5);
    expect(log.head().seq).toBe(40);
    expect(await log.stats()).toMatchObject({ total_events: 40 });
    const page = await log.list({ capability_id: 's.t0' }, { limit: 3, offset: 2 });
    expect([page.total, page.events.map(({ seq }) => seq)]).toEqual([14, [34, 31, 28]]);
    expect((await log.get('aud-000000000002'))?.seq).toBe(2);
    const after = await log.after(7, { maxRecords: 100, maxCharacters: 1e6 });
    expect(after[0]?.seq).toBe(8);
    await expectWhole(directory, log, 40);
  });

  it('goes on after a stop, with its index saved, lost, or of another file', async () => {
    const { directory, log } = await filled();
    await log.close();
    await log.database.close();
    const again = await files.open(directory, small);
    await append(again, 5);
    expect((await again.list({}, { limit: 100, offset: 0 })).events).toHaveLength(45);
    await again.close();
    await again.database.close();
    await rm(join(directory, 'state.db'), { force: true });
    const rebuilt = await files.open(directory, small);
    expect(rebuilt.lines).toEqual([]);
    await expectWhole(directory, rebuilt, 45);
  });

  it('carries the last hash of each segment on into the next', async () => {
    const { directory } = await filled();
    const [, first = '', second = ''] = await names(directory);
    const linesOf = async (name: string) => (await readFile(join(directory, name), 'utf8')).trimEnd().split('\n');
    const last = JSON.parse((await linesOf(first)).at(-1) ?? '');
    expect(JSON.parse((await linesOf(second))[0] ?? '').prev_hash).toBe(last.hash);
    expect(Number(second.split('.').at(-1))).toBe((await readFile(join(directory, first))).length);
  });

  type Harm = (directory: string, segments: readonly string[]) => Promise<void>;
  const harms: readonly (readonly [string, Harm])[] = [
    ['the first one is missing', (dir, [first = '']) => unlink(join(dir, first))],
    ['one in the middle is missing', (dir, [, , third = '']) => unlink(join(dir, third))],
    ['the last one is missing', (dir, segments) => unlink(join(dir, segments.at(-1) ?? ''))],
    ['all are missing', async (dir, segments) => void (await Promise.all(segments.map((s) => unlink(join(dir, s)))))],
    [
      'two have changed places',
      async (dir, [, a = '', b = '']) => {
        await rename(join(dir, a), join(dir, 'x'));
        await rename(join(dir, b), join(dir, a));
        await rename(join(dir, 'x'), join(dir, b));
      },
    ],
    [
      'one is altered',
      async (dir, [, second = '']) => {
        const text = await readFile(join(dir, second), 'utf8');
        await writeFile(join(dir, second), text.replace('"success"', '"denied"'));
      },
    ],
    [
      'one is cut at a line',
      async (dir, [, second = '']) => {
        const text = await readFile(join(dir, second), 'utf8');
        await writeFile(join(dir, second), `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
      },
    ],
    ['one is there twice', (dir, [, b = '', c = '']) => copyFile(join(dir, b), join(dir, c))],
  ];
  it.each(harms)('is found wrong where %s, by the service and offline', async (_what, harm) => {
    const { directory, log } = await filled();
    const [, ...segments] = await names(directory);
    await harm(directory, segments);
    const report = await log.verify();
    expect(report.is_valid).toBe(false);
    expect(report.first_corrupted_id).toMatch(/^aud-/);
    await log.list({ q: 's.t0' }, { limit: 100, offset: 0 }); // answers with what is there
    await log.close();
    expect((await verifyFile(pathOf(directory))).is_valid).toBe(false);
  });

  it('is read again where a segment is missing, and says so', async () => {
    const { directory, log } = await filled();
    await log.close();
    await log.database.close();
    await rm(join(directory, 'state.db'), { force: true });
    await unlink(join(directory, (await names(directory))[3] ?? ''));
    const again = await files.open(directory, small);
    expect((await again.list({}, { limit: 100, offset: 0 })).events.length).toBeGreaterThan(20);
    expect(again.lines.map(({ message }) => message)).toContain('a segment of the audit log is missing; verify it');
    expect((await again.verify()).is_valid).toBe(false);
  });

  it('refuses to verify one segment as if it were a log', async () => {
    const { directory } = await filled();
    const segment = join(directory, (await names(directory))[1] ?? '');
    await expect(verifyFile(segment)).rejects.toThrow(`is a segment of ${pathOf(directory)}`);
  });
});

describe('a rotation that does not come to its end', () => {
  it.each(['before the rename', 'after the rename', 'after the next file was made'])(
    '%s leaves one whole chain',
    async (step) => {
      const { directory, log } = await filled({}, 20);
      await log.close();
      await log.database.close();
      const [active = ''] = await names(directory);
      const sealed = (await names(directory)).slice(1);
      const start = (
        await Promise.all(sealed.map(async (name) => (await readFile(join(directory, name))).length))
      ).reduce((a, b) => a + b, 0);
      if (step !== 'before the rename')
        await rename(join(directory, active), `${pathOf(directory)}.${String(start).padStart(15, '0')}`);
      if (step === 'after the next file was made') await writeFile(pathOf(directory), '');
      const again = await files.open(directory, small);
      await append(again, 20);
      await expectWhole(directory, again, 40);
    },
  );

  it('by a rename that fails lets the file grow on, and says so once', async () => {
    const renameFile = () => Promise.reject(new Error('EPERM'));
    const { directory, log } = await filled({ renameFile });
    expect(await names(directory)).toEqual(['audit.jsonl']);
    expect(log.lines.filter(({ message }) => message.includes('cannot be sealed'))).toHaveLength(1);
    await expectWhole(directory, log, 40);
  });

  it('continues after a next file that cannot be opened, and loses no record', async () => {
    let failures = 0;
    const openHandle: AuditFileOptions['openHandle'] = async (path) => {
      if (failures-- > 0) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
      return openLogHandle(path);
    };
    const { directory, log } = await filled({ openHandle, isStrict: false }, 4);
    failures = 1;
    await append(log, 30);
    await expect.poll(() => log.flush().then(() => log.waiting())).toBe(0);
    expect(log.head().seq).toBeGreaterThanOrEqual(34);
    await expectWhole(directory, log, log.head().seq);
  });

  it('by a file that has the name already lets the file grow on', async () => {
    const directory = await files.createDirectory();
    const log = await files.open(directory, small);
    const other = join(directory, 'other');
    await writeFile(other, 'not a log');
    await link(other, `${pathOf(directory)}.000000000000000`);
    await append(log, 20);
    expect(await readFile(other, 'utf8')).toBe('not a log');
    expect(log.lines.map(({ fields }) => fields?.reason)).toContainEqual(expect.stringContaining('is there already'));
  });
});

const day = 24 * 3_600_000;
const old = new Date(Date.now() - 40 * day).toISOString();

describe('records that are older than keepDays', () => {
  const pruned = async () => {
    const directory = await files.createDirectory();
    const log = await files.open(directory, small);
    await append(log, 20, { timestamp: old });
    await append(log, 20, { timestamp: new Date().toISOString() });
    await log.close();
    await log.database.close();
    const again = await files.open(directory, { ...small, keepDays: 30 });
    await again.prune();
    return { directory, log: again };
  };

  it('go with their segments, after a record that says so; the rest is valid from there on', async () => {
    const { directory, log } = await pruned();
    const records = await recordsOf(log);
    const first = records[0]?.seq ?? 0;
    expect(first).toBeGreaterThan(10);
    const said = records.filter(({ details }) => details?.action === 'audit_prune');
    expect(said.map(({ event_type, status }) => [event_type, status])).toEqual([['config_change', 'success']]);
    expect(said[0]?.details).toMatchObject({
      first_seq: 1,
      last_seq: first - 1,
      last_hash: records[0]?.prev_hash,
      keep_days: 30,
    });
    const today = new Date().toISOString().slice(0, 10);
    const words = expect.stringContaining(`from record ${first}; earlier records were pruned on ${today}; `);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: records.length, details: words });
    expect((await log.list({}, { limit: 1, offset: 0 })).total).toBe(records.length);
    expect(await log.stats()).toMatchObject({ total_events: records.length });
    expect(await log.get('aud-000000000001')).toBeUndefined();
    await log.close();
    await log.database.close();
    expect(await verifyFile(pathOf(directory))).toMatchObject({ is_valid: true, details: words });
    const again = await files.open(directory, small);
    expect((await recordsOf(again)).length).toBe(records.length);
    expect(again.lines).toEqual([]);
  });

  it('are reported missing if another segment was removed', async () => {
    const { directory, log } = await pruned();
    await unlink(join(directory, (await names(directory))[1] ?? ''));
    const words = expect.stringContaining('no record says that they were pruned');
    expect(await log.verify()).toMatchObject({ is_valid: false, verified_records: 0, details: words });
    await log.close();
    expect(await verifyFile(pathOf(directory))).toMatchObject({ is_valid: false, details: words });
  });

  it('stay whole where a removal was interrupted', async () => {
    const directory = await files.createDirectory();
    const log = await files.open(directory, small);
    await append(log, 20, { timestamp: old });
    await append(log, 10, { timestamp: new Date().toISOString() });
    await log.close();
    await log.database.close();
    const kept = join(directory, (await names(directory))[2] ?? '');
    await copyFile(kept, join(directory, 'copy'));
    const first = await files.open(directory, { ...small, keepDays: 30 });
    await first.prune();
    await first.close();
    await first.database.close();
    await rename(join(directory, 'copy'), kept); // as if the stop had come before it was removed
    expect(await verifyFile(pathOf(directory))).toMatchObject({ is_valid: true });
    const again = await files.open(directory, { ...small, keepDays: 30 });
    await again.prune();
    expect(await again.verify()).toMatchObject({ is_valid: true });
    expect(await names(directory)).not.toContain(basename(kept));
    expect(again.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('stay where nothing is said of age', async () => {
    const directory = await files.createDirectory();
    const log = await files.open(directory, small);
    await append(log, 20, { timestamp: old });
    await log.prune();
    await expectWhole(directory, log, 20);
  });
});
