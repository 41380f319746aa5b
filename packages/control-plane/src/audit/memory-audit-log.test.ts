import type { AuditDraft, AuditFilter } from '@portico/audit-chain';
import { describe, expect, it } from 'vitest';
import { createMemoryAuditLog } from './memory-audit-log.js';

const draft = (n: number): AuditDraft => ({
  timestamp: new Date(n * 1000).toISOString(),
  event_type: 'tool_call',
  status: n % 2 === 0 ? 'success' : 'failed',
  capability_id: `s.${n}`,
});

async function logOf(records: number, options: { capacity?: number; maxBytes?: number } = {}) {
  const log = createMemoryAuditLog({ capacity: 1000, epochMs: () => 0, ...options });
  for (let n = 1; n <= records; n++) await log.append(draft(n));
  return log;
}

const seqs = (records: readonly { readonly seq: number }[]) => records.map(({ seq }) => seq);

describe('the audit log in memory', () => {
  it('keeps the newest records, and verifies from the oldest of them on', async () => {
    const log = await logOf(25, { capacity: 10 });
    expect(seqs(log.kept())).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(await log.verify()).toMatchObject({ is_valid: true, total_records: 10 });
    expect(await log.get('aud-000000000015')).toBeUndefined();
    expect((await log.get('aud-000000000016'))?.capability_id).toBe('s.16');
    expect(log.head().seq).toBe(25);
  });

  it('keeps at most this many bytes, and the newest record even if it is larger', async () => {
    const log = await logOf(20, { maxBytes: 1000 });
    const kept = log.kept().length;
    expect(kept).toBeGreaterThan(1);
    expect(kept).toBeLessThan(6);
    await log.append({ ...draft(21), details: { text: 'x'.repeat(5000) } });
    expect(seqs(log.kept())).toEqual([21]);
  });

  it('lists newest first, by filter and page, and streams oldest first', async () => {
    const log = await logOf(7);
    expect(await log.list({ status: 'success' }, { limit: 2, offset: 1 })).toMatchObject({
      events: [{ seq: 4 }, { seq: 2 }],
      total: 3,
    });
    const streamed: number[] = [];
    for await (const { seq } of log.records({ status: 'failed' })) streamed.push(seq);
    expect(streamed).toEqual([1, 3, 5, 7]);
  });

  it('finds records by the ids that they have, newest first, and none that only mention one', async () => {
    const log = createMemoryAuditLog({ capacity: 900, epochMs: () => 0 });
    const wide = { sanitized_args: { text: 'ä'.repeat(400) } }; // more than one block of lines
    for (let n = 1; n <= 1000; n++) {
      await log.append({
        ...draft(n),
        ...wide,
        request_id: `é-${n % 300}`,
        trace_id: `t${n}`,
        details: { request_id: 'é-7' },
      });
    }
    const found = async (filter: AuditFilter) => seqs((await log.list(filter, { limit: 10, offset: 0 })).events);
    expect(await found({ request_id: 'é-7' })).toEqual([907, 607, 307]); // 7 was given up
    expect(await found({ request_id: 'é-7', status: 'success' })).toEqual([]);
    expect(await found({ request_id: 'é-8', status: 'success', trace_id: 't608' })).toEqual([608]);
    expect(await found({ trace_id: 't100' })).toEqual([]);
    expect(await found({ trace_id: 't101' })).toEqual([101]);
    expect(await found({ approval_id: 'é-7' })).toEqual([]);
    expect(await found({ request_or_approval: 'é-7' })).toEqual([907, 607, 307]);
  });

  it('pauses while it looks for an id, and ends with the page where not all are counted', async () => {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const log = createMemoryAuditLog({ capacity: 2000, epochMs: () => 0, pause });
    const wide = { request_id: '1', sanitized_args: { text: 'x'.repeat(1000) } };
    for (let n = 1; n <= 2000; n++) await log.append({ ...draft(n), ...wide });
    expect((await log.list({ request_id: '1' }, { limit: 1, offset: 0 })).total).toBe(2000);
    const all = pauses;
    expect(all).toBeGreaterThan(5); // one for each quarter of a MiB
    await log.list({ request_id: '1' }, { limit: 1, offset: 0, countsAll: false });
    expect(pauses - all).toBe(1);
  });

  it('gives what follows a position, within limits but at least one record', async () => {
    const log = await logOf(12, { capacity: 5 });
    const after = async (seq: number, maxRecords = 100, maxCharacters = 100_000) =>
      seqs(await log.after(seq, { maxRecords, maxCharacters }));
    expect(await after(9)).toEqual([10, 11, 12]);
    expect(await after(9, 2)).toEqual([10, 11]);
    expect(await after(9, 2, 1)).toEqual([10]);
    expect(await after(12)).toEqual([]);
    expect(await after(0)).toEqual([8, 9, 10, 11, 12]); // earlier records are no longer kept
  });

  it('notifies its listeners of every record until they unsubscribe', async () => {
    const log = await logOf(0);
    let received = 0;
    const leave = log.onKept(() => {
      received += 1;
    });
    await log.append(draft(1));
    await (await log.begin()).end(draft(2));
    await (await log.begin()).end();
    leave();
    await log.append(draft(3));
    expect(received).toBe(2);
  });

  it('is whole while it is empty', async () => {
    expect(await (await logOf(0)).verify()).toMatchObject({ is_valid: true, total_records: 0 });
  });
});
