// Verification of files: every manipulation is found, and the first bad record is named.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { genesisHead, recordId, seal } from '@portico/audit-chain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditFileError } from './audit-file-error.js';
import { draftOf } from './testing/audit-files.js';
import { chainOf, draftsOf } from './testing/chain.js';
import { verifyFile } from './verify-file.js';

let path = '';

beforeAll(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'portico-audit-')), 'audit.jsonl');
});

afterAll(() => rm(path.slice(0, -'/audit.jsonl'.length), { recursive: true, force: true }));

const count = 3000; // some chunks
const { lines, text, head } = chainOf(draftsOf(count));

async function verify(content: string | Uint8Array, expectedHead?: string) {
  await writeFile(path, content);
  return verifyFile(path, { expectedHead });
}

describe('verifyFile', () => {
  it('finds nothing wrong with a whole log', async () => {
    const expected = { is_valid: true, total_records: count, verified_records: count, first_corrupted_id: null };
    expect(await verify(text)).toMatchObject(expected);
    expect(await verify(text, head.hash)).toMatchObject(expected);
    expect(await verify('')).toMatchObject({ is_valid: true, total_records: 0 });
  });

  it.each<[string, readonly string[], number]>([
    ['the first record is gone', lines.slice(1), 1],
    ['a record in the middle is gone', lines.toSpliced(1233, 1), 1234],
    ['two are swapped', lines.with(1233, lines[1234] ?? '').with(1234, lines[1233] ?? ''), 1234],
    ['one is inserted', lines.toSpliced(1233, 0, seal({ seq: 1233, hash: head.hash }, draftOf()).line), 1234],
    ['one is there twice', lines.toSpliced(1233, 0, lines[1232] ?? ''), 1234],
    ['one is empty', lines.with(1233, ''), 1234],
    ['a text is changed', lines.with(1233, lines[1233]?.replace('trace-1233', 'trace-1234') ?? ''), 1234],
    ['a space is added', lines.with(1233, ` ${lines[1233]}`), 1234],
    ['a return is added', lines.with(1233, `${lines[1233]}\r`), 1234],
  ])('names the first record that is wrong where %s', async (_what, changed, seq) => {
    expect(await verify(`${changed.join('\n')}\n`)).toMatchObject({
      is_valid: false,
      total_records: changed.length,
      verified_records: seq - 1,
      first_corrupted_id: recordId(seq),
    });
  });

  it('finds the end missing where the head is known', async () => {
    const cut = `${lines.slice(0, -1).join('\n')}\n`;
    expect((await verify(cut)).is_valid).toBe(true);
    expect(await verify(cut, head.hash)).toMatchObject({ is_valid: false, first_corrupted_id: recordId(count) });
  });

  it('finds every bit that is turned', async () => {
    const small = Buffer.from(chainOf(draftsOf(3)).text);
    const second = small.indexOf('\n') + 1;
    for (let i = second; i < small.indexOf('\n', second) + 1; i++) {
      for (let bit = 0; bit < 8; bit += 3) {
        const turned = Buffer.from(small);
        turned[i] = (turned[i] ?? 0) ^ (1 << bit);
        expect(await verify(turned)).toMatchObject({ is_valid: false, first_corrupted_id: recordId(2) });
      }
    }
  });

  it('takes a last line without line feed for a write that was cut off', async () => {
    for (const torn of [text.slice(0, -1), text.slice(0, -100), `${text}x`]) {
      const report = await verify(torn);
      expect(report.is_valid).toBe(false);
      expect(report.details).toContain('it has no line feed: a write was cut off there, or is under way');
    }
  });

  it('takes bytes for what they are', async () => {
    const [line = ''] = lines;
    const bytes = Buffer.from(`${line}\n`);
    const at = bytes.indexOf('ä');
    expect(
      await verify(Buffer.concat([bytes.subarray(0, at), Buffer.from([0xe4]), bytes.subarray(at + 2)])),
    ).toMatchObject({
      is_valid: false,
      details: 'line 1, record aud-000000000001: the line is no UTF-8',
    });
    expect((await verify(Buffer.concat([Buffer.from('\ufeff'), bytes]))).is_valid).toBe(false);
    const odd = chainOf([draftOf({ details: { text: '\u2028\u0085\r\n' } }), draftOf()]);
    expect(await verify(odd.text)).toMatchObject({ is_valid: true, total_records: 2 });
  });

  it('reads lines of any length, and takes one that is too long for a bad line', async () => {
    const large = chainOf([draftOf({ details: { text: 'é'.repeat(2_000_000) } }), draftOf()]);
    expect(await verify(large.text)).toMatchObject({ is_valid: true, total_records: 2 });
    const endless = Buffer.alloc(70 * 1024 * 1024, 'x');
    const { line } = seal(genesisHead, draftOf());
    expect(await verify(Buffer.concat([Buffer.from(`${line}\n`), endless, Buffer.from(`\n${line}\n`)]))).toEqual({
      is_valid: false,
      total_records: 3,
      verified_records: 1,
      first_corrupted_id: recordId(2),
      details: 'line 2, record aud-000000000002: the line is longer than 67108864 bytes',
    });
  });

  it('says why a file cannot be read', async () => {
    await expect(verifyFile(`${path}.none`)).rejects.toThrow(
      new AuditFileError(`audit file ${path}.none cannot be read: there is no such file`),
    );
    await expect(verifyFile(tmpdir())).rejects.toThrow('cannot be read: it is no regular file');
  });

  it('ends when its signal aborts', async () => {
    await writeFile(path, text);
    await expect(verifyFile(path, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
