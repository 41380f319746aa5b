// The log's file: who may open it, what it is like afterwards, and what goes on from one process to the next.
import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { deadPid } from '../testing/dead-pid.js';
import { AuditFileError } from './audit-file-error.js';
import { createAuditHeads } from './heads.js';
import { createAuditFiles, draftOf, linesIn, recordsOf } from './testing/audit-files.js';
import { chainOf, draftsOf } from './testing/chain.js';

const files = createAuditFiles();

afterEach(() => files.removeAll());

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
const gapsOf = async (log: Parameters<typeof recordsOf>[0]) =>
  (await recordsOf(log, { event_type: 'audit_gap' })).map(({ details }) => details);

describe('openAuditFile', () => {
  it('creates the file and its directories for their owner only', async () => {
    const directory = await files.createDirectory();
    const file = join(directory, 'a', 'b', 'log.jsonl');
    const log = await files.open(directory, { file });
    expect([await modeOf(join(directory, 'a')), await modeOf(join(directory, 'a', 'b'))]).toEqual(['700', '700']);
    expect([await modeOf(file), await modeOf(`${file}.lock`)]).toEqual(['600', '600']);
    expect(await modeOf(join(directory, 'audit.tally'))).toBe('600');
    await log.close();
    expect(await readdir(join(directory, 'a', 'b'))).toEqual(['log.jsonl']);
  });

  it('takes rights of others away from a file that was there', async () => {
    const directory = await files.createDirectory();
    await writeFile(join(directory, 'audit.jsonl'), '');
    await chmod(join(directory, 'audit.jsonl'), 0o644);
    await files.open(directory);
    expect(await modeOf(join(directory, 'audit.jsonl'))).toBe('600');
  });

  it('goes on where the log ended, without a gap after a stop in order', async () => {
    const directory = await files.createDirectory();
    const first = await files.open(directory);
    const action = await first.begin();
    await action.end(draftOf({ capability_id: 'a' }));
    await first.close();
    const second = await files.open(directory, { database: first.database });
    await second.append(draftOf({ capability_id: 'b' }));
    expect((await recordsOf(second)).map(({ seq, capability_id }) => [seq, capability_id])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(await second.verify()).toMatchObject({ is_valid: true, verified_records: 2 });
    expect(second.lines).toEqual([]);
  });

  it('writes what waits before it closes', async () => {
    const directory = await files.createDirectory();
    const log = await files.open(directory, { flushIntervalMs: 60_000 });
    for (const draft of draftsOf(50)) await log.append(draft);
    expect(log.waiting()).toBe(50);
    await log.close();
    expect(await linesIn(directory)).toEqual(chainOf(draftsOf(50)).lines);
    await expect(log.append(draftOf())).rejects.toThrow('the audit log is closed');
    await expect(log.begin()).rejects.toThrow('the audit log is closed');
  });

  it('saves where the log ends, and never what is not in the file yet', async () => {
    const directory = await files.createDirectory();
    const log = await files.open(directory);
    for (const draft of draftsOf(3)) await log.append(draft);
    await log.close();
    const size = (await stat(join(directory, 'audit.jsonl'))).size;
    expect(await createAuditHeads(log.database).get(join(directory, 'audit.jsonl'))).toEqual({
      ...log.head(),
      end: size,
    });
  });

  it('records the losses of a process that was killed, once', async () => {
    const directory = await files.createDirectory();
    const first = await files.open(directory);
    await first.append(draftOf());
    await first.close();
    const counters = Buffer.from(await readFile(join(directory, 'audit.tally')));
    counters.writeUIntBE(5, 6, 6);
    counters.writeUIntBE(7, 12, 6);
    counters.writeUIntBE(4, 18, 6);
    await writeFile(join(directory, 'audit.tally'), counters);
    await appendFile(join(directory, 'audit.jsonl'), '{"torn');
    const { database } = first;
    const second = await files.open(directory, { database });
    const expected = [{ reason: 'unclean_stop', lost_records: 4, unfinished_actions: 3, cut_bytes: 6 }];
    expect(await gapsOf(second)).toEqual(expected);
    expect(second.lines).toMatchObject([{ level: 'warn', fields: { lost_records: 4, cut_bytes: 6 } }]);
    expect(await second.verify()).toMatchObject({ is_valid: true, total_records: 2 });
    await second.close();
    expect(await gapsOf(await files.open(directory, { database }))).toEqual(expected);
  });

  it('takes no notice of the counters of another log', async () => {
    const directory = await files.createDirectory();
    const first = await files.open(directory);
    await (await first.begin()).end(draftOf());
    await first.begin();
    await first.close();
    const other = await files.open(directory, { database: first.database, file: join(directory, 'other.jsonl') });
    expect(await gapsOf(other)).toEqual([]);
  });

  it('says in the log and in every verification that records are missing', async () => {
    const directory = await files.createDirectory();
    const first = await files.open(directory);
    for (const draft of draftsOf(3)) await first.append(draft);
    await first.close();
    const [line] = await linesIn(directory);
    await truncate(join(directory, 'audit.jsonl'), Buffer.byteLength(`${line}\n`));
    const { database } = first;
    const second = await files.open(directory, { database });
    expect(await gapsOf(second)).toMatchObject([{ reason: 'records_missing', expected_seq: 3, found_seq: 1 }]);
    expect(second.lines).toMatchObject([{ level: 'error', fields: { expected_seq: 3, found_seq: 1 } }]);
    const expected = { is_valid: false, first_corrupted_id: 'aud-000000000002', verified_records: 1 };
    expect(await second.verify()).toMatchObject(expected);
    await second.close();
    const third = await files.open(directory, { database });
    expect(await gapsOf(third)).toHaveLength(1);
    expect(await third.verify()).toMatchObject(expected);
  });
});

describe('openAuditFile refuses', () => {
  it('a file that another process writes, with any state directory and under any name', async () => {
    const [directory, other] = [await files.createDirectory(), await files.createDirectory()];
    await files.open(directory);
    await symlink(join(directory, 'audit.jsonl'), join(other, 'audit.jsonl'));
    await expect(files.open(other)).rejects.toThrow(
      new AuditFileError(
        `audit file ${join(directory, 'audit.jsonl')} cannot be used: process ${process.pid} writes to it; ` +
          'stop that process, or choose another file with audit.filePath',
      ),
    );
  });

  it('nothing because of the lock of a process that has ended', async () => {
    const directory = await files.createDirectory();
    await writeFile(join(directory, 'audit.jsonl.lock'), JSON.stringify({ pid: deadPid, startedAt: null }));
    await expect(files.open(directory)).resolves.toBeDefined();
  });

  it.each<[string, (directory: string) => Promise<string>, string]>([
    [
      'a directory',
      async (directory) => {
        await mkdir(join(directory, 'log'));
        return join(directory, 'log');
      },
      'it is a directory; name a file in it, or choose another file with audit.filePath',
    ],
    [
      'a pipe',
      async (directory) => {
        spawnSync('mkfifo', [join(directory, 'pipe')]);
        return join(directory, 'pipe');
      },
      'it is no regular file; choose another file with audit.filePath',
    ],
    [
      'a path below a file',
      async (directory) => {
        await writeFile(join(directory, 'file'), '');
        return join(directory, 'file', 'log');
      },
      'a part of its path is no directory; choose another file with audit.filePath',
    ],
    ['a place where nothing can be created', async () => '/proc/portico/log', '; choose another file'],
  ])('%s', async (_what, make, words) => {
    const directory = await files.createDirectory();
    const file = await make(directory);
    const error = await files.open(directory, { file }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuditFileError);
    expect(String(error)).toContain(`audit file ${file} cannot be used: `);
    expect(String(error)).toContain(words);
  });

  it('a log whose end was edited, and gives its lock back', async () => {
    const directory = await files.createDirectory();
    await writeFile(join(directory, 'audit.jsonl'), `${chainOf(draftsOf(2)).text}edited\n`);
    await expect(files.open(directory)).rejects.toThrow('is no record');
    expect(await readdir(directory)).not.toContain('audit.jsonl.lock');
    expect(await readFile(join(directory, 'audit.jsonl'), 'utf8')).toMatch(/edited\n$/);
  });
});
