// A log of several chains: each is held against itself, however their records are mixed.
import { describe, expect, it } from 'vitest';
import type { AuditDraft } from './record.js';
import { genesisHead, seal } from './seal.js';
import { createLogVerifier } from './verify-chains.js';

const [a, b] = ['a'.repeat(32), 'b'.repeat(32)];
const draft = (n: number): AuditDraft => ({
  timestamp: '2026-01-02T03:04:05.678Z',
  event_type: 'tool_call',
  status: 'success',
  duration_us: n,
  ...(n % 2 === 0 ? { details: { text: 'not plain: "\n' } } : {}),
});

function chain(chainId: string | undefined, count: number) {
  let head = genesisHead;
  const lines = Array.from({ length: count }, (_, n) => {
    const sealed = seal(head, draft(n), chainId);
    head = sealed.head;
    return sealed.line;
  });
  return { lines, head };
}

function verify(lines: readonly (string | null | undefined)[], expectedHash?: string) {
  const verifier = createLogVerifier({ expectedHash });
  for (const line of lines) verifier.push(line ?? null);
  return verifier.end();
}

const [inA, inB] = [chain(a, 4), chain(b, 3)];
const [a1, a2, a3, a4] = inA.lines;
const [b1, b2, b3] = inB.lines;
const mixed = [a1, b1, b2, a2, a3, b3, a4];

describe('a log of several chains', () => {
  it('is valid where each chain is whole, in any mixture that keeps their orders', () => {
    for (const lines of [mixed, [...inA.lines, ...inB.lines], [...inB.lines, ...inA.lines]]) {
      const report = verify(lines);
      expect(report).toMatchObject({ is_valid: true, total_records: 7, verified_records: 7, first_corrupted_id: null });
      expect(report.chains?.map(({ chain_id, total_records }) => [chain_id, total_records]).toSorted()).toEqual([
        [a, 4],
        [b, 3],
      ]);
    }
    expect(verify(mixed).details).toBe(
      `chain ${a}: the chain ends at ${inA.head.hash}; chain ${b}: the chain ends at ${inB.head.hash}`,
    );
  });

  it.each([
    ['a record is missing', [a1, b1, b2, a3, b3, a4], `aud-${a}-000000000002`, 'records are missing, added or moved'],
    ['a record was changed', [a1, b1?.replace('success', 'failed'), b2, a2], `aud-${b}-000000000001`, 'its contents'],
    ['two have changed places', [a1, b2, b1, a2], `aud-${b}-000000000001`, 'missing, added or moved'],
    ['a record names another chain', [a1, b1, a2?.replaceAll(a, b)], `aud-${b}-000000000002`, 'prev_hash'],
    [
      'an id belongs to another chain',
      [a1, b1, a2?.replace(`aud-${a}`, `aud-${b}`)],
      `aud-${a}-000000000002`,
      'id does',
    ],
    ['a line is none', [a1, null, b1], 2, 'line 2: the line is no UTF-8'],
    ['a record has no chain', [a1, chain(undefined, 1).lines[0]], 2, 'line 2: the record belongs to no chain'],
  ])('is not valid where %s, and names it', (_what, lines, id, words) => {
    const report = verify(lines);
    expect(report).toMatchObject({ is_valid: false, first_corrupted_id: id, total_records: lines.length });
    expect(report.details).toContain(words);
  });

  it('names the chain whose error comes first, and how many there are', () => {
    const report = verify([a1, b1, b3, a3]);
    expect(report.first_corrupted_id).toBe(`aud-${b}-000000000002`);
    expect(report.details).toContain('2 of 2 chains are not valid');
    expect(report.verified_records).toBe(2);
  });

  it('is held against the head of one of them', () => {
    expect(verify(mixed, inB.head.hash).is_valid).toBe(true);
    expect(verify(mixed.slice(0, -1), inA.head.hash)).toMatchObject({ is_valid: false, first_corrupted_id: null });
    expect(verify([a1], inA.head.hash)).toMatchObject({ is_valid: false, first_corrupted_id: `aud-${a}-000000000002` });
  });
});

describe('a log without chain ids', () => {
  const { lines, head } = chain(undefined, 2);

  it('is one chain', () => {
    const report = verify(lines, head.hash);
    expect(report).toMatchObject({ is_valid: true, total_records: 2 });
    expect(report).not.toHaveProperty('chains');
    expect(verify([]).is_valid).toBe(true);
    expect(verify([null, ...lines]).first_corrupted_id).toBe('aud-000000000001');
  });

  it('takes no record of a chain', () => {
    expect(verify([...lines, a3]).details).toContain('it belongs to another chain');
  });
});
