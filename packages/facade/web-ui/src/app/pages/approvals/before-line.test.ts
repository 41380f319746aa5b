import { expect, test } from 'vitest';
import { beforeFilters, beforeLine } from './before-line.js';

const record = (status: string, approval?: string) => ({ event_type: 'tool_call', status, approval_id: approval });

test('the hour ends when the ticket was opened', () => {
  const asked = Date.parse('2026-03-01T12:00:00.000Z') / 1000;
  expect(beforeFilters({ client: { name: 'claude', version: '1' }, server_id: 's', created_at: asked })).toEqual({
    server_id: 's',
    client: 'claude',
    start_time: '2026-03-01T11:00:00.000Z',
    end_time: '2026-03-01T12:00:00.000Z',
  });
});

test.each([
  ['nothing', [], 0, 'not once in the hour before.'],
  ['only the ticket itself', [record('intercepted', 'me')], 1, 'not once in the hour before.'],
  [
    'some',
    [record('success'), record('success'), record('failed')],
    3,
    '3 times in the hour before: 2 done, 1 failed.',
  ],
  ['more than is read', [record('success')], 1001, 'at least 1 time in the hour before; of the last ones: 1 done.'],
])('%s is said', (_name, events, total, expected) => {
  expect(beforeLine(events, total, 'me')).toBe(expected);
});
