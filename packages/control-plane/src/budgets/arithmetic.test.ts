import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Account,
  type Amounts,
  chargeHeld,
  emptyAccount,
  type Limits,
  type Reservation,
  reserve,
  settle,
  usedOf,
  usedRatio,
} from './arithmetic.js';

const bytes = (resultBytes: number): Amounts => ({ resultBytes, resultTokens: 0, upstreamUs: 0 });

/** Reserves, and fails the test if that is refused. */
function reserved(account: Account, limits: Limits, cost = 0) {
  const reserving = reserve(account, limits, cost);
  if (!reserving.isReserved) throw new Error(`${reserving.measure} is used up`);
  return reserving;
}

/** An account after one call that took this. */
function after(account: Account, limits: Limits, took: Amounts): Account {
  const { account: next, reservation } = reserved(account, limits);
  return settle(next, reservation, took);
}

describe('an account', () => {
  it('lets as many calls through as its limit, and no more', () => {
    let account = emptyAccount;
    for (let at = 0; at < 3; at += 1) account = after(account, { calls: 3 }, bytes(0));
    expect(reserve(account, { calls: 3 }, 0)).toEqual({ isReserved: false, measure: 'calls', isHeld: false });
  });

  it('counts a call from its sending on', () => {
    const { account } = reserved(emptyAccount, { calls: 1 });
    expect(reserve(account, { calls: 1 }, 0)).toMatchObject({ isReserved: false, measure: 'calls' });
  });

  it('takes nothing for a call that was not sent', () => {
    const { account, reservation } = reserved(emptyAccount, { calls: 1, costMicros: 5, resultBytes: 100 }, 5);
    expect(settle(account, reservation, 'not_sent')).toEqual(emptyAccount);
  });

  it('refuses a price above the rest, and lets a call without one through', () => {
    const { account } = reserved(emptyAccount, { costMicros: 10 }, 7);
    expect(reserve(account, { costMicros: 10 }, 4)).toMatchObject({ measure: 'costMicros' });
    expect(reserve(account, { costMicros: 10 }, 3).isReserved).toBe(true);
    expect(reserve(account, { costMicros: 7 }, 0).isReserved).toBe(true);
  });

  it('goes over by one result, and refuses then', () => {
    const limits = { resultBytes: 100 };
    const account = after(after(emptyAccount, limits, bytes(99)), limits, bytes(1000));
    expect(account.resultBytes).toBe(1099);
    expect(reserve(account, limits, 0)).toEqual({ isReserved: false, measure: 'resultBytes', isHeld: false });
  });

  it('lets a call that may go over be alone', () => {
    const limits = { resultBytes: 100 };
    const first = reserved(after(emptyAccount, limits, bytes(60)), limits);
    expect(reserve(first.account, limits, 0)).toEqual({ isReserved: false, measure: 'resultBytes', isHeld: true });
    expect(reserve(settle(first.account, first.reservation, bytes(1)), limits, 0).isReserved).toBe(true);
  });

  it('charges what calls of a process that ended held', () => {
    const { account } = reserved(after(emptyAccount, { resultBytes: 1000 }, bytes(30)), { resultBytes: 1000 });
    expect(chargeHeld(account)).toMatchObject({ calls: 2, resultBytes: 60, inFlight: 0, reserved: bytes(0) });
  });

  it('charges no more for them than the largest call, also if they held a large part of the limit', () => {
    const limits = { calls: 100, resultBytes: 1_000_000 };
    let account = after(emptyAccount, limits, bytes(10));
    for (let at = 0; at < 40; at += 1) account = reserved(account, limits).account;
    expect(chargeHeld(account)).toMatchObject({ calls: 41, resultBytes: 410, inFlight: 0 });
  });

  it('has the ratio of the limit that is used up most', () => {
    const { account } = reserved(emptyAccount, { calls: 10, costMicros: 4 }, 3);
    expect(usedRatio(account, { calls: 10, costMicros: 4, resultBytes: 5 })).toBe(0.75);
    expect(usedOf(account, 'costMicros')).toBe(3);
  });

  it('never goes over calls and cost, and over the rest by at most one result, for 64 callers at once', () => {
    const most = 20; // of one result: no more than a call reserves
    const limits = { calls: 300, costMicros: 500, resultBytes: 50 * most };
    const step = fc.record({ caller: fc.nat(63), size: fc.nat(most), price: fc.nat(5), isSent: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        let account: Account = emptyAccount;
        let charged = 0;
        const inFlight = new Map<number, Reservation>();
        for (const { caller, size, price, isSent } of steps) {
          const own = inFlight.get(caller);
          if (own !== undefined) {
            account = settle(account, own, isSent ? bytes(size) : 'not_sent');
            if (isSent) charged += size;
            inFlight.delete(caller);
          } else {
            const reserving = reserve(account, limits, price);
            if (reserving.isReserved) {
              account = reserving.account;
              inFlight.set(caller, reserving.reservation);
            }
          }
          expect(account.inFlight).toBe(inFlight.size);
          expect(account.calls).toBeLessThanOrEqual(limits.calls);
          expect(account.costMicros).toBeLessThanOrEqual(limits.costMicros);
          expect(account.resultBytes).toBe(charged);
          expect(charged).toBeLessThanOrEqual(limits.resultBytes + most);
        }
      }),
    );
  });
});
