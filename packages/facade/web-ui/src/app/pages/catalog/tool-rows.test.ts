import { expect, it } from 'vitest';
import { byCount, byEffect, byLast, effectOf, toRows } from './tool-rows.js';

const tool = (id: string) => ({ id, server: 's', tool: id, summary: `does ${id}`, tags: ['s'], mode: 'read' as const });
const verdict = (id: string, effect: 'denied' | 'waits_for_approval') => ({
  kind: 'tool' as const,
  id,
  effect,
  rule: null,
  written_at: [],
  depends_on: [],
});
const used = (capability_id: string, calls: number, last: string) => ({
  capability_id,
  calls,
  failed: 0,
  refused: 0,
  last,
});

const tools = [verdict('s.b', 'waits_for_approval'), verdict('s.hidden', 'denied')];
const rows = toRows(
  [tool('s.a'), tool('s.b')],
  {
    counts: { runs: 1, waits_for_approval: 1, denied: 1, not_found: 0 },
    tools,
    byId: new Map(tools.map((each) => [each.id, each])),
  },
  {
    since: '',
    byId: new Map(
      [used('s.b', 3, '2026-01-01'), used('s.hidden', 1, '2026-01-02')].map((each) => [each.capability_id, each]),
    ),
  },
);
const idsBy = (compare: Parameters<(typeof rows)['toSorted']>[0]) => rows.toSorted(compare).map(({ id }) => id);

it('what policy hides has a row with its state, behind what is listed', () => {
  expect(rows.map((row) => [row.id, effectOf(row), row.server])).toEqual([
    ['s.a', 'runs', 's'],
    ['s.b', 'waits_for_approval', 's'],
    ['s.hidden', 'denied', 's'],
  ]);
});

it('rows are sorted by state, by calls and by the last call', () => {
  expect(idsBy(byEffect)).toEqual(['s.hidden', 's.b', 's.a']);
  expect(idsBy(byCount('calls'))).toEqual(['s.b', 's.hidden', 's.a']);
  expect(idsBy(byLast)).toEqual(['s.hidden', 's.b', 's.a']);
});
