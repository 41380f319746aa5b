import { expect, test } from 'vitest';
import type { RecentCall } from '../wire/activity.js';
import { ruleText, toEventText } from './events.js';
import { crashedText, questionTitle } from './needs.js';
import { workingServers } from './servers.js';
import { ticketTitleOf } from './tickets.js';

const call = (rest: Partial<RecentCall>) => {
  const client = { name: 'claude-code' };
  const event = { event_type: 'tool_call', status: 'success', client, capability_id: 'a.b', ...rest } as const;
  const { who, verb, what, outcome } = toEventText(event);
  return `${who} ${verb} ${what}: ${outcome}`;
};

test.each([
  [{}, 'claude-code called a.b: done'],
  [{ status: 'failed', error_code: 'TIMEOUT' }, 'claude-code called a.b: failed: TIMEOUT'],
  [{ status: 'denied', rule: 'deny:a.*' }, 'claude-code called a.b: refused by rule a.* (deny)'],
  [
    { event_type: 'approval_created', status: 'intercepted', rule: 'require_approval:*b' },
    'claude-code asks to run a.b: waiting for approval, rule *b (require approval)',
  ],
  [{ event_type: 'resource_read', status: 'cancelled' }, 'claude-code read a.b: cancelled'],
  [{ client: undefined, actor_id: 'ann' }, 'ann called a.b: done'],
  [{ client: undefined, channel: 'http' }, 'http called a.b: done'],
  [{ client: undefined }, 'unknown called a.b: done'],
] as const)('%o reads %s', (event, sentence) => {
  expect(call(event as Partial<RecentCall>)).toBe(sentence);
});

test('waiting calls are named by their actor and target', () => {
  const ticket = { kind: 'tool', capability_id: 'flaky.drop_table', client: { name: 'claude-code' } } as const;
  expect([
    ticketTitleOf(ticket),
    ticketTitleOf({ ...ticket, kind: 'resource', client: undefined, channel: 'http' }),
    ticketTitleOf({ ...ticket, kind: 'prompt', client: undefined }),
    questionTitle({ client: { name: 'cursor' }, capability_id: 'linear.create' }),
    [0, 1, 5].map((restarts) => crashedText({ restarts })),
    ruleText('deny:a:b'),
    ruleText('other'),
  ]).toEqual([
    'claude-code wants to run flaky.drop_table',
    'http wants to read flaky.drop_table',
    'A caller wants the prompt flaky.drop_table',
    'cursor is asked by linear.create',
    ['crashed', 'crashed 1 time', 'crashed 5 times'],
    'a:b (deny)',
    'other',
  ]);
});

test('a server works where it is connected, and where it starts when it is needed', () => {
  const statuses = ['connected', 'idle', 'connecting', 'degraded', 'disabled', 'reconnecting'] as const;
  expect(workingServers(statuses.map((status) => ({ status }))).map(({ status }) => status)).toEqual([
    'connected',
    'idle',
  ]);
});
