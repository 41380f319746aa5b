import { expect, test } from 'vitest';
import { countByTool } from './tool-counts.js';

const called = (capability: string, status: 'success' | 'failed') => ({
  event_type: 'tool_call' as const,
  capability_id: capability,
  status,
});

test('calls and failures are counted for each tool, and records of other kinds are not', () => {
  const events = [
    called('s.a', 'success'),
    called('s.a', 'failed'),
    called('s.b', 'success'),
    { ...called('s.b', 'success'), event_type: 'approval_created' as const },
  ];
  const { byTool, isCut } = countByTool({ events, total: 4 });
  expect([...byTool]).toEqual([
    ['s.a', { calls: 2, failures: 1 }],
    ['s.b', { calls: 1, failures: 0 }],
  ]);
  expect(isCut).toBe(false);
});

test('more records than were read are known as such', () => {
  expect(countByTool({ events: [called('s.a', 'success')], total: 2 })).toMatchObject({ total: 2, isCut: true });
});
