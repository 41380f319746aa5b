// Verification: after any change to the lines of a log, the first line that differs is named.
import { createHash } from 'node:crypto';
import { canonicalize } from '@portico/canonical-json';
import { describe, expect, it } from 'vitest';
import {
  type AuditDraft,
  createVerifier,
  type GapReason,
  genesisHead,
  recordId,
  seal,
  toGapDraft,
  type VerificationReport,
  type VerifierOptions,
} from './index.js';
import { toChain } from './testing/to-chain.js';

const drafts: readonly AuditDraft[] = Array.from({ length: 5 }, (_, i) => ({
  timestamp: `2026-01-02T03:04:0${i}.000Z`,
  event_type: 'tool_call',
  status: 'success',
  trace_id: `trace-${i}`,
  is_replay: false,
  sanitized_args: { path: 'a', deep: [{ n: i }] },
  duration_us: 10 + i,
}));
const { records, lines, head } = toChain(drafts);

function verify(given: Iterable<string | null>, options?: VerifierOptions): VerificationReport {
  const verifier = createVerifier(options);
  for (const line of given) verifier.push(line);
  return verifier.end();
}

/** The name of the first bad record, or null. */
const firstBad = (given: Iterable<string | null>, options?: VerifierOptions) =>
  verify(given, options).first_corrupted_id;
/** The lines with one changed. */
const changed = (i: number, change: (line: string) => string | null) =>
  lines.map((line, k) => (k === i ? change(line) : line));
/** A line as an attacker would write it who knows how to hash. */
const forged = (change: object) => {
  const { hash: _, ...rest } = { ...records[4]!, ...change };
  const hash = createHash('sha256')
    .update(rest.prev_hash + canonicalize(rest))
    .digest('hex');
  return canonicalize({ ...rest, hash });
};

describe('a log that is whole', () => {
  it('is valid, and all its records are counted', () => {
    expect(verify(lines)).toEqual({
      is_valid: true,
      total_records: 5,
      verified_records: 5,
      first_corrupted_id: null,
      details: `the chain ends at ${head.hash}`,
    });
    expect(verify(lines, { expectedHead: head }).is_valid).toBe(true);
    expect(verify(lines, { expectedHead: { hash: head.hash } }).is_valid).toBe(true);
  });

  it('is valid where an escaped key follows another one, which V8 takes for that one', () => {
    const args = ['a\\', 'a"', 'a\n', 'a\u0001'].map((key) => ({ A: 0, [key]: 0 }));
    const chain = toChain(args.map((sanitized_args) => ({ ...drafts[0]!, sanitized_args })));
    expect(verify(chain.lines)).toMatchObject({ is_valid: true, verified_records: 4 });
  });

  it('may be empty', () => {
    expect(verify([])).toMatchObject({ is_valid: true, total_records: 0, verified_records: 0 });
    expect(verify([], { expectedHead: genesisHead }).is_valid).toBe(true);
  });

  it('may be verified from any head on, and returns where it ends', () => {
    const first = createVerifier();
    for (const line of lines.slice(0, 2)) first.push(line);
    expect(first.head()).toEqual({ seq: 2, hash: records[1]?.hash });
    expect(verify(lines.slice(2), { start: first.head(), expectedHead: head })).toMatchObject({
      is_valid: true,
      verified_records: 3,
    });
  });
});

describe('a log that was changed', () => {
  it('is found wrong for every single bit of a line that is turned', () => {
    const bytes = Buffer.from(lines[1] ?? '');
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const decode = (turned: Uint8Array) => {
      try {
        return decoder.decode(turned);
      } catch {
        return null;
      }
    };
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const turned = Uint8Array.from(bytes);
      turned[bit >> 3] = Number(turned[bit >> 3]) ^ (1 << (bit & 7));
      const report = verify(changed(1, () => decode(turned)));
      expect([report.is_valid, report.first_corrupted_id, report.verified_records, report.total_records]).toEqual([
        false,
        'aud-000000000002',
        1,
        5,
      ]);
    }
  });

  it.each<[string, readonly (string | null)[], string | null]>([
    ['the first line is removed', lines.slice(1), recordId(1)],
    ['a line in the middle is removed', lines.toSpliced(2, 1), recordId(3)],
    ['a line is doubled', lines.toSpliced(2, 0, lines[1] ?? ''), recordId(3)],
    ['the last line is doubled', [...lines, lines[4] ?? ''], recordId(6)],
    ['two lines are swapped', [0, 3, 2, 1, 4].map((i) => lines[i] ?? ''), recordId(2)],
    ['an empty line stands in the middle', lines.toSpliced(3, 0, ''), recordId(4)],
    ['the last line is torn', changed(4, (line) => line.slice(0, 40)), recordId(5)],
    ['a line is no JSON', changed(2, () => 'garbage'), recordId(3)],
    ['a line is no object', changed(2, () => '[]'), recordId(3)],
    ['a line is no UTF-8', changed(2, () => null), recordId(3)],
    ['a line is endlessly nested', changed(2, () => '['.repeat(100_000)), recordId(3)],
    ['a line ends with a carriage return', changed(0, (line) => `${line}\r`), recordId(1)],
    ['the file starts with a byte order mark', changed(0, (line) => `\ufeff${line}`), recordId(1)],
    ['a line has white space', changed(1, (line) => line.replace(':', ': ')), recordId(2)],
    ['a line has a key twice', changed(1, (line) => line.replace('{', '{"duration_us":11,')), recordId(2)],
    ['a line has its keys in another order', changed(1, () => JSON.stringify(records[1])), recordId(2)],
    ['a text is escaped in another way', changed(1, (line) => line.replace('trace-1', '\\u0074race-1')), recordId(2)],
    ['a number is written in another way', changed(1, (line) => line.replace(':11,', ':1.1e1,')), recordId(2)],
    [
      'a hash is written in upper case',
      changed(1, (line) => line.replace(/"hash":"\w+"/, (m) => m.toUpperCase().replace('HASH', 'hash'))),
      recordId(2),
    ],
    ['a line has a field more', changed(1, (line) => line.replace(/}$/, ',"x":1}')), recordId(2)],
    ['a line has no hash', changed(1, (line) => line.replace(/"hash":"\w+",/, '')), recordId(2)],
    ['a field has another type', changed(1, (line) => line.replace('"is_replay":false', '"is_replay":0')), recordId(2)],
    ['the log stands on another genesis', toChain(drafts, { seq: 0, hash: 'f'.repeat(64) }).lines, recordId(1)],
    ['it continues another log', toChain(drafts, head).lines, recordId(1)],
  ])('is found wrong where %s', (_, given, id) => {
    expect(firstBad(given)).toBe(id);
  });

  it.each([
    ['no change', {}, 'the chain ends at'],
    ['an event type that nobody knows', { event_type: 'nonsense' }, 'the field "event_type" is'],
    ['a field that nobody knows', { extra: 1 }, 'the field "extra" is'],
    ['no timestamp', { timestamp: undefined }, 'the field "timestamp" is'],
    ['another id', { id: 'aud-5' }, 'id does not belong to seq'],
    ['another position', { seq: 6 }, 'seq is 6: records are missing, added or moved'],
    ['another hash before it', { prev_hash: 'f'.repeat(64) }, 'prev_hash is not the hash of the record before it'],
  ])('says what is wrong with a record that was sealed with %s', (_, change, details) => {
    const report = verify(changed(4, () => forged(change)));
    expect(report.details).toContain(details);
    expect(report.first_corrupted_id).toBe(Object.keys(change).length === 0 ? null : recordId(5));
  });

  it('is found wrong at the next record where one was replaced by another with a hash of its own', () => {
    const given = [...changed(4, () => forged({ status: 'failed' })), seal(head, drafts[0]!).line];
    expect(verify(given)).toMatchObject({ verified_records: 5, first_corrupted_id: recordId(6) });
    expect(verify(given).details).toBe(
      'line 6, record aud-000000000006: prev_hash is not the hash of the record before it; one of the two was replaced',
    );
  });

  it('is counted to its end, and nothing behind the first bad record is verified', () => {
    expect(verify(changed(1, () => ''))).toEqual({
      is_valid: false,
      total_records: 5,
      verified_records: 1,
      first_corrupted_id: 'aud-000000000002',
      details: 'line 2, record aud-000000000002: the line is empty',
    });
  });

  it('never shows what a bad line holds', () => {
    const { details } = verify(changed(1, (line) => line.replace('trace-1', 'password')));
    expect(details).toBe('line 2, record aud-000000000002: its contents do not give its hash');
  });
});

describe('the end of a log', () => {
  const rewritten = toChain([
    ...drafts.slice(0, 3),
    ...drafts.slice(3).map((draft) => ({ ...draft, status: 'failed' as const })),
  ]);
  const cut = lines.slice(0, 3);
  const longer = [...lines, seal(head, drafts[0]!).line];

  it('is not reported missing where the log does not mention it', () => {
    expect([verify(cut).is_valid, verify(rewritten.lines).is_valid]).toEqual([true, true]);
  });

  it('is found missing where the head is known: the first missing record is named', () => {
    expect(verify(cut, { expectedHead: head })).toEqual({
      is_valid: false,
      total_records: 3,
      verified_records: 3,
      first_corrupted_id: 'aud-000000000004',
      details: 'line 4, record aud-000000000004: the log ends before the record that is expected to be the last',
    });
    expect(firstBad([], { expectedHead: head })).toBe(recordId(1));
  });

  it('is found replaced at the latest where the head should be', () => {
    expect(firstBad(rewritten.lines, { expectedHead: head })).toBe(recordId(5));
    expect(firstBad(rewritten.lines.slice(0, 4), { expectedHead: head })).toBe(recordId(5));
    expect(firstBad(toChain([...drafts, ...drafts].with(1, drafts[0]!)).lines, { expectedHead: head })).toBe(
      recordId(5),
    );
  });

  it('needs no position, only the hash, which then is missed at the end', () => {
    expect(firstBad(cut, { expectedHead: { hash: head.hash } })).toBe(recordId(4));
    expect(firstBad(rewritten.lines, { expectedHead: { hash: head.hash } })).toBe(recordId(6));
  });

  it('may not be followed by more, unless the log may have grown', () => {
    expect(firstBad(longer, { expectedHead: head })).toBe(recordId(6));
    expect(firstBad(longer, { expectedHead: { hash: head.hash } })).toBe(recordId(6));
    expect(firstBad(longer, { expectedHead: head, mayContinue: true })).toBe(null);
    expect(firstBad(longer, { expectedHead: { hash: head.hash }, mayContinue: true })).toBe(null);
    expect(firstBad(cut, { expectedHead: head, mayContinue: true })).toBe(recordId(4));
    expect(firstBad(rewritten.lines, { expectedHead: head, mayContinue: true })).toBe(recordId(5));
  });

  it('is another one where the position differs', () => {
    expect(firstBad(lines, { expectedHead: { ...head, seq: 4 } })).toBe(recordId(4));
    expect(firstBad(lines, { expectedHead: { ...head, seq: 6 } })).toBe(recordId(6));
  });

  it('may be the head that the verification starts from', () => {
    expect(firstBad([], { start: head, expectedHead: head })).toBe(null);
    expect(firstBad([], { start: head, expectedHead: { ...head, hash: 'f'.repeat(64) } })).toBe(recordId(6));
  });
});

describe('a log that reports a gap', () => {
  const gapped = (details: {
    readonly reason: GapReason;
    readonly expected_seq?: number;
    readonly issued_seq?: number;
  }) => {
    const { reason, ...rest } = details;
    return toChain([...drafts.slice(0, 2), toGapDraft(reason, rest, 0), ...drafts.slice(2)]).lines;
  };

  it.each<GapReason>(['unclean_stop', 'torn_tail', 'unwritable'])(
    'of %s is valid, and the report says so',
    (reason) => {
      expect(verify(gapped({ reason }))).toMatchObject({
        is_valid: true,
        verified_records: 6,
        first_corrupted_id: null,
        details: expect.stringMatching(/^the chain ends at [0-9a-f]{64}; one record reports a gap$/),
      });
      const twice = toChain([toGapDraft(reason, {}, 0), toGapDraft(reason, {}, 0)]).lines;
      expect(verify(twice).details).toMatch(/; 2 records report gaps$/);
    },
  );

  it('of records that are missing is wrong from there on', () => {
    expect(verify(gapped({ reason: 'records_missing', expected_seq: 7 }))).toEqual({
      is_valid: false,
      total_records: 6,
      verified_records: 2,
      first_corrupted_id: 'aud-000000000003',
      details:
        'line 3, record aud-000000000003: records before it were removed or replaced; ' +
        'the log had held record 7 with the hash undefined',
    });
  });

  it('of records that were added is wrong from there on', () => {
    expect(verify(gapped({ reason: 'records_added', issued_seq: 1 }))).toMatchObject({
      is_valid: false,
      verified_records: 2,
      details: 'line 3, record aud-000000000003: records before it were added: the service had written up to record 1',
    });
  });

  it('only the event type reports it: an action may have such details', () => {
    expect(verify(toChain([{ ...drafts[0]!, details: { reason: 'records_missing' } }]).lines).is_valid).toBe(true);
  });
});

describe('what is no line', () => {
  it('is wrong, for the reason that is given', () => {
    const verifier = createVerifier();
    verifier.push(null, 'it is cut off');
    expect(verifier.end()).toMatchObject({
      is_valid: false,
      details: 'line 1, record aud-000000000001: it is cut off',
    });
  });
});

describe('a hash that stands in a record more than once', () => {
  it('does not mislead', () => {
    const before = seal(genesisHead, drafts[0]!);
    const honest = seal(genesisHead, {
      ...drafts[0]!,
      details: { a: 1, hash: 'x', z: 1 },
      sanitized_args: { hash: 'y' },
    });
    expect(verify([honest.line]).is_valid).toBe(true);
    expect(verify([honest.line.replace('"hash":"x"', `"hash":"${before.head.hash}"`)]).is_valid).toBe(false);
  });

  it('is refused where the member is doubled', () => {
    const { line, head: own } = seal(genesisHead, drafts[0]!);
    const member = `,"hash":"${own.hash}",`;
    expect(verify([line.replace(member, `${member}"hash":"${own.hash}",`)]).is_valid).toBe(false);
  });
});
