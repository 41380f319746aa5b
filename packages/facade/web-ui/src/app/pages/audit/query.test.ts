import { expect, test } from 'vitest';
import { chipsOf, parseQuery, toQueryText } from './query.js';
import { parseTime } from './time-words.js';

const now = Date.parse('2026-03-10T12:00:00.000Z');

test('words and terms are distinguished', () => {
  expect(parseQuery('login bug agent:cursor outcome:refused tool:"a b" since:1h', now)).toEqual({
    ok: true,
    filters: {
      q: 'login bug',
      client: 'cursor',
      status: 'denied',
      capability_id: 'a b',
      start_time: '2026-03-10T11:00:00.000Z',
    },
  });
});

test('a word with a colon that is no term is searched for', () => {
  expect(parseQuery('https://example.com file:x', now)).toEqual({
    ok: true,
    filters: { q: 'https://example.com file:x' },
  });
});

test.each([
  ['agnet:cursor', 'There is no term "agnet:". Did you mean "agent:"?'],
  ['outcome:bad', 'outcome: takes one of success, failed, denied, intercepted, cancelled; not "bad".'],
  ['since:soon', expect.stringMatching(/^since: takes today, yesterday/)],
  ['agent:', 'agent: has no value.'],
  ['agent:a client:b', 'agent: is there twice.'],
])('%s is refused with what to type', (text, message) => {
  expect(parseQuery(text, now)).toEqual({ ok: false, message });
});

test('filters of the address are shown as the line that gives them', () => {
  const filters = { q: 'drop table', client: 'Claude Code', status: 'failed', trace_id: 'abc' };
  expect(chipsOf(filters).map(({ text }) => text)).toEqual([
    'drop table',
    'agent:"Claude Code"',
    'outcome:failed',
    'trace:abc',
  ]);
  expect(parseQuery(toQueryText(filters), now)).toEqual({ ok: true, filters });
});

test('kind:calls are the calls that were let in and those that were refused', () => {
  const parsed = parseQuery('kind:calls rule:deny:a.*', now);
  const filters = { event_type: 'tool_call,resource_read,prompt_get,policy_violation', rule: 'deny:a.*' };
  expect(parsed).toEqual({ ok: true, filters });
  expect(toQueryText(filters)).toBe('kind:calls rule:deny:a.*');
});

test('days begin at midnight where the browser is', () => {
  const today = parseTime('today', now) ?? '';
  const yesterday = parseTime('yesterday', now) ?? '';
  expect([new Date(today).getHours(), new Date(yesterday).getHours()]).toEqual([0, 0]);
  expect(parseTime('2026-03-09T08:30Z', now)).toBe('2026-03-09T08:30:00.000Z');
  expect(new Date(parseTime('2026-03-09', now) ?? '').getHours()).toBe(0);
  expect([parseTime('7d', now), parseTime('2026-13-45', now), parseTime('noon', now)]).toEqual([
    '2026-03-03T12:00:00.000Z',
    undefined,
    undefined,
  ]);
});
