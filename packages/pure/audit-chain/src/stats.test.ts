// Statistics: their exact form, their hours and their order.
import { describe, expect, it } from 'vitest';
import { type AuditDraft, type AuditRecord, createStats, toHour } from './index.js';
import { toChain } from './testing/to-chain.js';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const statsOf = (records: readonly AuditRecord[]) => {
  const counter = createStats(nowMs);
  for (const record of records) counter.add(record);
  return counter.stats();
};
const toDraft = (capability_id: string): AuditDraft => ({
  timestamp: new Date(nowMs).toISOString(),
  event_type: 'tool_call',
  status: 'success',
  capability_id,
});

describe('createStats', () => {
  it('has a zero for every status and hour where there is nothing', () => {
    const stats = statsOf([]);
    expect(stats).toMatchObject({
      total_events: 0,
      by_status: { success: 0, failed: 0, denied: 0, intercepted: 0, cancelled: 0 },
      by_event_type: {},
      by_capability: [],
      by_client: [],
      by_channel: {},
    });
    expect(stats.by_hour).toHaveLength(24);
    expect(stats.by_hour[0]).toEqual({ hour: '2026-01-01T04:00:00.000Z', count: 0 });
    expect(stats.by_hour[23]).toEqual({ hour: '2026-01-02T03:00:00.000Z', count: 0 });
  });

  it('counts the first and the last millisecond of its hours, and none beside them', () => {
    const times = [
      '2026-01-01T03:59:59.999Z',
      '2026-01-01T04:00:00.000Z',
      '2026-01-02T03:59:59.999Z',
      '2026-01-02T04:00:00.000Z',
    ];
    const stats = statsOf(toChain(times.map((timestamp) => ({ ...toDraft('a.b'), timestamp }))).records);
    expect(stats.by_hour.map(({ count }) => count)).toEqual([1, ...Array(22).fill(0), 1]);
    expect(stats.total_events).toBe(4);
  });

  it('names the 20 capabilities that occur most, equal ones by id', () => {
    const ids = Array.from({ length: 25 }, (_, i) => `s.t${String(i).padStart(2, '0')}`);
    const { records } = toChain([...ids.toReversed(), 's.t24', 's.t24', 's.t03'].map(toDraft));
    const top = statsOf(records).by_capability;
    expect(top.map(({ capability_id }) => capability_id)).toEqual([
      's.t24',
      's.t03',
      ...ids.filter((id) => id !== 's.t03').slice(0, 18),
    ]);
    expect(top[0]?.count).toBe(3);
  });

  it('takes counts for records', () => {
    const from = { client: { name: 'agent', version: '1' }, channel: 'stdio' } as const;
    const { records } = toChain([toDraft('a.b'), toDraft('a.b'), { ...toDraft('c.d'), ...from }]);
    const counter = createStats(nowMs);
    counter.add(records[0]!);
    counter.addCounts({
      total: 2,
      byStatus: [['success', 2]],
      byEventType: [['tool_call', 2]],
      byCapability: [
        ['a.b', 1],
        ['c.d', 1],
      ],
      byClient: [['agent', 1]],
      byChannel: [['stdio', 1]],
      byHour: [
        [toHour(nowMs), 2],
        [toHour(nowMs) - 24, 9],
      ],
    });
    expect(counter.stats()).toEqual(statsOf(records));
  });
});
