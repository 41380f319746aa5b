// Distinguishes the effects of a crash from edits, for every position at which the last line may be cut.
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { genesisHead } from '@portico/audit-chain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditFileError } from './audit-file-error.js';
import { type Recovery, type Remembered, recover } from './recover.js';
import { chainOf, draftsOf } from './testing/chain.js';

let directory = '';
let path = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-audit-'));
  path = join(directory, 'audit.jsonl');
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const { lines, records, text } = chainOf(draftsOf(3));
const whole = Buffer.from(text);
const endOf = (count: number) => Buffer.byteLength(lines.slice(0, count).join('\n')) + (count > 0 ? 1 : 0);
const headOf = (seq: number) => ({ seq, hash: records[seq - 1]?.hash ?? genesisHead.hash });
const keptHead = (seq: number) => ({ ...headOf(seq), end: endOf(seq) });
const nothing: Remembered = { head: undefined, counters: undefined };

async function recoverFrom(content: string | Buffer, remembered: Remembered = nothing): Promise<Recovery> {
  await writeFile(path, content);
  const file = await open(path, 'r');
  try {
    return await recover(file, path, (await file.stat()).size, remembered);
  } finally {
    await file.close();
  }
}

describe('recover', () => {
  it('goes on after the last record where nothing is missing', async () => {
    const counters = { issued: 3, begun: 9, ended: 9, written: undefined };
    const lost = { records: 0, actions: 0 };
    const expected = { head: headOf(3), size: whole.length, cutBytes: 0, lost, gap: undefined };
    expect(await recoverFrom(whole, { head: keptHead(3), counters })).toEqual(expected);
    expect(await recoverFrom(whole, { head: keptHead(1), counters })).toEqual(expected);
    expect(await recoverFrom(whole)).toEqual(expected);
    expect(await recoverFrom('')).toMatchObject({ head: genesisHead, size: 0, gap: undefined });
  });

  it('cuts off the last line at any position where it was torn, and reports the number of bytes', async () => {
    for (let cut = endOf(2) + 1; cut < whole.length; cut++) {
      expect(await recoverFrom(whole.subarray(0, cut))).toMatchObject({
        head: headOf(2),
        size: endOf(2),
        cutBytes: cut - endOf(2),
        gap: { reason: 'torn_tail', details: { cut_bytes: cut - endOf(2) } },
      });
    }
  });

  it('reports how many records and actions a process lost', async () => {
    const remembered = { head: keptHead(1), counters: { issued: 7, begun: 9, ended: 6, written: undefined } };
    const torn = whole.subarray(0, endOf(2) + 10);
    expect((await recoverFrom(torn, remembered)).gap).toEqual({
      reason: 'unclean_stop',
      details: { lost_records: 5, unfinished_actions: 3, cut_bytes: 10 },
    });
  });

  it.each<[string, Buffer]>([
    ['zeros', Buffer.alloc(5000)],
    ['zeros with line feeds in them', Buffer.from('\0\0\n\0\n')],
    ['zeros and the rest of a line', Buffer.from(`\0\0\0\0${lines[2]?.slice(40)}\n`)],
    ['zeros after the beginning of a line', Buffer.from(`${lines[2]?.slice(0, 40)}\0\0\0`)],
  ])('cuts off %s, which cannot be an edit', async (_what, garbage) => {
    const recovery = await recoverFrom(Buffer.concat([whole, garbage]), { head: keptHead(3), counters: undefined });
    expect(recovery).toMatchObject({
      head: headOf(3),
      size: whole.length,
      cutBytes: garbage.length,
      gap: { reason: 'torn_tail' },
    });
  });

  it.each<[string, string | Buffer]>([
    ['the same records with other line ends', `${lines.join('\r\n')}\r\n`],
    ['a configuration', '{"mcpServers":{},"audit":{"filePath":"config.json"}}'],
    ['a line of text', 'buy milk'],
    ['a table', 'a\tb\n1\t2\n'],
    ['text that is no UTF-8', Buffer.from([0x61, 0xe4, 0x0a, 0x62, 0xfc, 0x0a])],
    ['a binary file', Buffer.from('SQLite format 3\0\x10\0\n\0\0end')],
    ['a binary file that ends with a line', Buffer.from('SQLite format 3\0\x10\0\n\0\0\n')],
    ['lines of zeros only, that end like lines', Buffer.from('\0\0\n')],
  ])('never takes %s for a log', async (_what, content) => {
    await expect(recoverFrom(content)).rejects.toThrow(AuditFileError);
  });

  it.each<[string, string]>([
    ['a line that is no record', 'hello'],
    ['an empty line', ''],
    ['a record that was changed', lines[2]?.replace('"success"', '"denied" ') ?? ''],
  ])('refuses to go on after %s', async (_what, line) => {
    await expect(recoverFrom(`${text}${line}\n`)).rejects.toThrow(
      new AuditFileError(
        `audit file ${path} cannot be used: its last line, at byte ${whole.length}, is no record, and no write that was ` +
          `cut off has left it so; see \`portico audit verify ${path}\`, then put a backup in its place or move it away`,
      ),
    );
    await expect(recoverFrom(`${text}${line}\n${lines[2]?.slice(0, 9)}`)).rejects.toThrow(AuditFileError);
  });

  it.each<[string, string | Buffer, number]>([
    ['the last record is gone', whole.subarray(0, endOf(2)), 2],
    ['all records are gone', '', 0],
    ['others stand in their place', chainOf(draftsOf(4).slice(1)).text, 3],
    ['others stand in their place, and more', chainOf(draftsOf(6).slice(1)).text, 5],
    ['a record in the middle is gone', `${lines[0]}\n${lines[2]}\n`, 3],
  ])('reports missing records when %s', async (_what, content, foundSeq) => {
    const { head, gap } = await recoverFrom(content, {
      head: keptHead(3),
      counters: { issued: 3, begun: 1, ended: 1, written: undefined },
    });
    expect(gap).toEqual({
      reason: 'records_missing',
      details: {
        expected_seq: 3,
        expected_hash: headOf(3).hash,
        found_seq: foundSeq,
        found_hash: head.hash,
        lost_records: Math.max(0, 3 - foundSeq),
        unfinished_actions: 0,
        cut_bytes: 0,
      },
    });
  });

  it('goes on after damage that whole records follow: that is for verification to find', async () => {
    const damaged = `${lines[0]}\n\0\0\0${lines[1]?.slice(3)}\n${lines[2]}\n`;
    expect(await recoverFrom(damaged)).toMatchObject({ head: headOf(3), cutBytes: 0, gap: undefined });
  });

  it('reads only the end of a file', async () => {
    const long = chainOf([...draftsOf(3000)]);
    expect(await recoverFrom(long.text)).toMatchObject({ head: long.head, gap: undefined });
    const large = chainOf([...draftsOf(1), { ...draftsOf(1)[0]!, details: { text: 'x'.repeat(300_000) } }]);
    expect(await recoverFrom(large.text.slice(0, -1))).toMatchObject({ head: { seq: 1 } });
    expect(await recoverFrom(large.text)).toMatchObject({ head: large.head });
  });

  const noted = (before: number, after: number, issued = after): Remembered => ({
    head: keptHead(Math.min(before, 3)),
    counters: { issued, begun: 1, ended: 1, written: { before: keptHead(before), after: keptHead(after) } },
  });

  it('goes on wherever a kill between the note and the write has left the file', async () => {
    for (const count of [1, 2, 3]) {
      const { gap } = await recoverFrom(whole.subarray(0, endOf(count)), noted(1, 3));
      expect(gap?.reason).toBe(count === 3 ? undefined : 'unclean_stop');
    }
  });

  it('reports records that follow the last noted one', async () => {
    expect((await recoverFrom(whole, noted(1, 2))).gap).toEqual({
      reason: 'records_added',
      details: {
        issued_seq: 2,
        issued_hash: headOf(2).hash,
        added_records: 1,
        lost_records: 0,
        unfinished_actions: 0,
        cut_bytes: 0,
      },
    });
    expect((await recoverFrom(whole, noted(1, 2, 9))).gap?.reason).toBe('records_added'); // sealed is not written
  });

  it('reports a last record that was rewritten after the head was kept', async () => {
    const other = chainOf([...draftsOf(2), { ...draftsOf(3)[2]!, status: 'failed' }]);
    const { gap } = await recoverFrom(other.text, noted(2, 3));
    expect(gap).toMatchObject({ reason: 'records_missing', details: { expected_hash: headOf(3).hash } });
  });

  it('counts records beyond all that is known where the notes may be older than the file', async () => {
    const counters = { issued: 1, begun: 1, ended: 1, written: undefined };
    expect((await recoverFrom(whole, { head: keptHead(2), counters })).gap).toMatchObject({
      reason: 'unclean_stop',
      details: { unconfirmed_records: 1 },
    });
  });
});
