// The report on cited records whose neighbours, or whose place at the end of the log, have changed.
import type { AuditDraft, AuditRecord } from '@portico/audit-chain';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryAuditLog } from '../audit/memory-audit-log.js';
import { verifyCited } from './verify-cited.js';

const draft: AuditDraft = { timestamp: '2026-01-01T00:00:00.000Z', event_type: 'tool_call', status: 'success' };
const idOf = (seq: number) => `aud-${String(seq).padStart(12, '0')}`;
const otherHash = 'f'.repeat(64);

let audit: ReturnType<typeof createMemoryAuditLog>;

beforeEach(async () => {
  audit = createMemoryAuditLog({ capacity: 10, epochMs: () => 0 });
  for (let n = 0; n < 5; n += 1) await audit.append(draft);
});

/** The log without some records. */
function without(...seqs: readonly number[]) {
  const isKept = ({ seq }: AuditRecord) => !seqs.includes(seq);
  return {
    head: audit.head,
    get: async (id: string) => audit.kept().find((record) => record.id === id && isKept(record)),
    after: async (from: number) => audit.kept().filter((record) => record.seq > from && isKept(record)),
  };
}

describe('a cited record', () => {
  it.each([1, 3, 5])('is verified in place %i of a whole log of five', async (seq) => {
    expect(await verifyCited(audit, [idOf(seq)], true)).toMatchObject({ verified: true });
  });

  it.each([
    ['the next one is cut out', [4], false, `record ${idOf(4)} is missing: the log goes on to record 5`],
    ['all that follow are cut off', [4, 5], false, `record ${idOf(4)} is missing: the log goes on to record 5`],
    ['the one before is cut out', [2], false, `record ${idOf(2)} is missing: older records are there`],
    ['all before were removed', [1, 2], 'unknown', 'removed by age'],
    ['it is cut out itself', [3], false, `record ${idOf(3)} cannot be read in its place`],
  ])('where %s', async (_, seqs, verified, verification) => {
    expect(await verifyCited(without(...seqs), [idOf(3)], true)).toEqual({
      verified,
      verification: expect.stringContaining(verification),
    });
  });

  it('is not verified at the end of the log where the service wrote another one', async () => {
    const replaced = { ...without(), head: () => ({ seq: 5, hash: otherHash }) };
    expect(await verifyCited(replaced, [idOf(5)], true)).toMatchObject({
      verified: false,
      verification: expect.stringContaining('not the one that the service wrote last'),
    });
  });

  it('is not said to be missing at the end of a chain whose end is not known', async () => {
    const other = { ...without(4, 5), after: async () => audit.kept().map((each) => ({ ...each, chain_id: 'c' })) };
    expect(await verifyCited(other, [idOf(3)], true)).toMatchObject({ verified: true });
  });

  it.each([
    [true, 'the audit log cannot be read now: EIO /var/audit.jsonl'],
    [false, 'the audit log cannot be read now'],
  ])(
    'is unknown where one beside it cannot be read, with the reason for admins: %s',
    async (saysErrors, verification) => {
      const get = async (id: string) => {
        if (id === idOf(4)) throw new Error('EIO /var/audit.jsonl');
        return audit.get(id);
      };
      const found = await verifyCited({ ...without(), get }, [idOf(3)], saysErrors);
      expect(found).toEqual({ verified: 'unknown', verification });
    },
  );
});
