// Blocks: their columns come back from bytes as they were, and filter as the records themselves do.
import { type AuditDraft, auditEventTypes, auditStatuses, createStats, matchesFilter } from '@portico/audit-chain';
import { auditChannels } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, createBlockBuilder, decodeColumns, encodeColumns, maxBlockRecords, rangeOf } from './block.js';
import { candidatesIn, countsIn, needsRecords } from './block-match.js';
import { chainOf, draftsOf } from './testing/chain.js';

const startMs = Date.UTC(2026, 0, 2, 3);
const hourMs = 3_600_000;
const anyId = fc.oneof(fc.constantFrom('a', 'b', '__proto__', ''), fc.string({ maxLength: 3 }));

const anyDraft: fc.Arbitrary<AuditDraft> = fc.record(
  {
    timestamp: fc.oneof(
      fc.integer({ min: -30 * hourMs, max: hourMs }).map((ms) => new Date(startMs + ms).toISOString()),
      fc.constantFrom(new Date(startMs).toISOString(), 'never', '+275760-09-13T00:00:00.000Z'),
    ),
    event_type: fc.constantFrom(...auditEventTypes),
    status: fc.constantFrom(...auditStatuses),
    trace_id: anyId,
    actor_id: anyId,
    server_id: anyId,
    capability_id: anyId,
    request_id: anyId,
    approval_id: anyId,
    idempotency_key: anyId,
    client: anyId.map((name) => ({ name, version: '1' })),
    channel: fc.constantFrom(...auditChannels),
  },
  { requiredKeys: ['timestamp', 'event_type', 'status'] },
);

const anyFilter = fc.record(
  {
    actor_id: anyId,
    capability_id: anyId,
    server_id: anyId,
    trace_id: anyId,
    request_id: anyId,
    approval_id: anyId,
    idempotency_key: anyId,
    request_or_approval: anyId,
    client: anyId,
    channel: fc.constantFrom(...auditChannels),
    event_type: fc.constantFrom(...auditEventTypes),
    status: fc.constantFrom(...auditStatuses),
    start_ms: fc.constantFrom(startMs, startMs + 1, startMs - hourMs, Number.NEGATIVE_INFINITY),
    end_ms: fc.constantFrom(startMs, startMs - 1, startMs + hourMs, Number.POSITIVE_INFINITY),
  },
  { requiredKeys: [] },
);

const at = 777;

function blockOf(drafts: readonly AuditDraft[]): Block {
  const { records, lines } = chainOf(drafts);
  const builder = createBlockBuilder(1, at);
  let end = at;
  records.forEach((record, i) => {
    end += Buffer.byteLength(lines[i] ?? '') + 1;
    builder.add(record, end);
  });
  return builder.block();
}

/** As the database gives it back: at any place of its memory. */
function restored(block: Block): Block {
  const bytes = encodeColumns(block);
  const elsewhere = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
  return { ...block, columns: decodeColumns(elsewhere, block.count) };
}

describe('a block', () => {
  it('is filtered as its records are, also when it comes back from bytes', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { minLength: 1, maxLength: 30 }), anyFilter, (drafts, filter) => {
        const block = blockOf(drafts);
        const { records } = chainOf(drafts);
        const matches = records.flatMap((record, i) => (matchesFilter(record, filter) ? [i] : []));
        const candidates = candidatesIn(block, filter);
        expect(candidatesIn(restored(block), filter)).toEqual(candidates);
        if (needsRecords(filter)) expect(candidates).toEqual(expect.arrayContaining(matches));
        else expect(candidates).toEqual(matches);
      }),
      { numRuns: 500 },
    );
  });

  it('counts as statistics over its records do', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { minLength: 1, maxLength: 30 }), (drafts) => {
        const [counted, added] = [createStats(startMs), createStats(startMs)];
        counted.addCounts(countsIn(restored(blockOf(drafts)), startMs - 24 * hourMs));
        for (const record of chainOf(drafts).records) added.add(record);
        expect(counted.stats()).toEqual(added.stats());
      }),
    );
  });

  it('knows where each line stands', () => {
    const drafts = draftsOf(20);
    const { text, lines } = chainOf(drafts);
    const file = Buffer.concat([Buffer.alloc(at), Buffer.from(text)]);
    const block = restored(blockOf(drafts));
    const found = lines.map((_, i) => {
      const { start, end } = rangeOf(block, i);
      return file.subarray(start, end).toString();
    });
    expect(found).toEqual(lines);
    expect([block.start, block.end]).toEqual([at, file.length]);
  });

  it('stays as it was while more is added', () => {
    const { records } = chainOf(draftsOf(2));
    const builder = createBlockBuilder(1, 0);
    builder.add(records[0]!, 100);
    const before = builder.block();
    builder.add(records[1]!, 200);
    expect([before.count, before.end, candidatesIn(before, {})]).toEqual([1, 100, [0]]);
  });

  it('is full with a number of records, or with a number of bytes', () => {
    const [record] = chainOf(draftsOf(1)).records;
    const [many, large] = [createBlockBuilder(1, 0), createBlockBuilder(1, 0)];
    for (let i = 1; i < maxBlockRecords; i++) many.add(record!, i);
    expect(many.isFull()).toBe(false);
    many.add(record!, maxBlockRecords);
    expect(many.isFull()).toBe(true);
    large.add(record!, 256 * 1024 * 1024);
    expect(large.isFull()).toBe(true);
  });

  it('is refused where its bytes are not those of its records', () => {
    expect(() => decodeColumns(new Uint8Array(23), 1)).toThrow(RangeError);
  });
});
