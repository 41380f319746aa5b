// The decisions that a ticket takes, and when.
import { describe, expect, it } from 'vitest';
import { decideTicket, type TicketDecision, type TicketStatus } from './ticket.js';

const decide = (decision: TicketDecision, nowEpochMs: number, status: TicketStatus = { status: 'pending' }) =>
  decideTicket({ status, expiresAtEpochMs: 10_000 }, decision, nowEpochMs);

describe('decideTicket', () => {
  it.each<[string, TicketDecision, number, TicketStatus | undefined]>([
    ['approves', { kind: 'approve', operator: 'ann' }, 9999, { status: 'approved', operator: 'ann', timestamp: 9 }],
    [
      'approves with other arguments',
      { kind: 'approve', operator: 'ann', modifiedArgs: { a: 1 } },
      1000,
      { status: 'approved', operator: 'ann', timestamp: 1, modifiedArgs: { a: 1 } },
    ],
    ['rejects', { kind: 'reject', operator: 'ann' }, 0, { status: 'rejected', operator: 'ann', timestamp: 0 }],
    [
      'rejects with a reason',
      { kind: 'reject', operator: 'ann', reason: 'no' },
      0,
      { status: 'rejected', operator: 'ann', timestamp: 0, reason: 'no' },
    ],
    ['expires at its time', { kind: 'expire' }, 10_000, { status: 'expired', timestamp: 10 }],
    ['does not expire before', { kind: 'expire' }, 9999, undefined],
    ['does not approve when its time is over', { kind: 'approve', operator: 'ann' }, 10_000, undefined],
    ['does not reject when its time is over', { kind: 'reject', operator: 'ann' }, 10_001, undefined],
  ])('%s', (_, decision, now, expected) => {
    expect(decide(decision, now)).toStrictEqual(expected);
  });

  it('decides once', () => {
    const decided: TicketStatus[] = [
      { status: 'approved', operator: 'ann', timestamp: 1 },
      { status: 'rejected', operator: 'ann', timestamp: 1 },
      { status: 'expired', timestamp: 1 },
    ];
    const decisions: TicketDecision[] = [
      { kind: 'approve', operator: 'bob' },
      { kind: 'reject', operator: 'bob' },
      { kind: 'expire' },
    ];
    for (const status of decided) {
      for (const decision of decisions) {
        for (const now of [0, 20_000]) expect(decide(decision, now, status)).toBeUndefined();
      }
    }
  });
});
