// The arithmetic of one account of a budget: what a call may take, what it reserves before it is sent, and what stays
// charged after it. Pure: no clock, no I/O. Every store computes by these functions.

/** The amounts that a budget limits: counts, bytes, tokens, microseconds, and millionths of a unit of money. All are whole numbers. */
export const measures = ['calls', 'costMicros', 'resultBytes', 'resultTokens', 'upstreamUs'] as const;
export type Measure = (typeof measures)[number];

/** Measures that are known only when a call has ended. */
export const laterMeasures = ['resultBytes', 'resultTokens', 'upstreamUs'] as const;
export type LaterMeasure = (typeof laterMeasures)[number];

export type Amounts = Readonly<Record<LaterMeasure, number>>;
export type Limits = Readonly<Partial<Record<Measure, number>>>;

export interface Account extends Readonly<Record<Measure, number>> {
  /** Calls that are sent and have not ended. */
  readonly inFlight: number;
  /** The part that they hold of each measure. */
  readonly reserved: Amounts;
  /** The largest amount of one call so far. */
  readonly largest: Amounts;
}

const nothing: Amounts = Object.freeze({ resultBytes: 0, resultTokens: 0, upstreamUs: 0 });

/** An account that nothing has been charged to: the value of one that a store does not have. */
export const emptyAccount: Account = Object.freeze({
  calls: 0,
  costMicros: 0,
  ...nothing,
  inFlight: 0,
  reserved: nothing,
  largest: nothing,
});

/** The part of an account that a call holds until it ends. */
export interface Reservation {
  readonly costMicros: number;
  readonly amounts: Amounts;
}

export type Reserving =
  | { readonly isReserved: true; readonly account: Account; readonly reservation: Reservation }
  | Exhausted;

export interface Exhausted {
  readonly isReserved: false;
  readonly measure: Measure;
  /** Whether calls in flight hold the rest: it may be free again when they end. */
  readonly isHeld: boolean;
}

/** The least that a call reserves of a limit is this part of it: its result is not known yet. */
const leastPart = 50;

/**
 * Reserves one call. The last call before a limit may go over it, once and alone: others wait until it has ended, so that
 * at most one result is over.
 */
export function reserve(account: Account, limits: Limits, costMicros: number): Reserving {
  if (limits.calls !== undefined && account.calls + 1 > limits.calls) return exhausted('calls');
  const { costMicros: costLimit } = limits;
  if (costLimit !== undefined && costMicros > 0 && account.costMicros + costMicros > costLimit)
    return exhausted('costMicros');
  const amounts = { ...nothing };
  for (const measure of laterMeasures) {
    const limit = limits[measure];
    if (limit === undefined) continue;
    const used = account[measure];
    if (used >= limit) return exhausted(measure);
    const likely = Math.max(account.largest[measure], Math.ceil(limit / leastPart));
    const isOver = used + account.reserved[measure] + likely > limit;
    if (isOver && account.inFlight > 0) return { isReserved: false, measure, isHeld: true };
    amounts[measure] = likely;
  }
  return {
    isReserved: true,
    account: {
      ...account,
      calls: account.calls + 1,
      costMicros: account.costMicros + costMicros,
      inFlight: account.inFlight + 1,
      reserved: add(account.reserved, amounts, 1),
    },
    reservation: { costMicros, amounts },
  };
}

function exhausted(measure: Measure): Exhausted {
  return { isReserved: false, measure, isHeld: false };
}

/** Gives a reservation back, and charges what the call took; one that was not sent is free. */
export function settle(account: Account, { costMicros, amounts }: Reservation, took: Amounts | 'not_sent'): Account {
  const rest = {
    ...account,
    inFlight: Math.max(0, account.inFlight - 1),
    reserved: add(account.reserved, amounts, -1),
  };
  if (took === 'not_sent')
    return { ...rest, calls: Math.max(0, account.calls - 1), costMicros: Math.max(0, account.costMicros - costMicros) };
  return {
    ...rest,
    ...add(account, took, 1),
    largest: {
      resultBytes: Math.max(account.largest.resultBytes, took.resultBytes),
      resultTokens: Math.max(account.largest.resultTokens, took.resultTokens),
      upstreamUs: Math.max(account.largest.upstreamUs, took.upstreamUs),
    },
  };
}

/**
 * Charges the calls of a process that has ended, whose outcome is unknown: each as the largest call so far, and no more
 * than it holds. Their results were not delivered.
 */
export function chargeHeld(account: Account): Account {
  const { inFlight, reserved, largest } = account;
  const likely = {
    resultBytes: Math.min(reserved.resultBytes, inFlight * largest.resultBytes),
    resultTokens: Math.min(reserved.resultTokens, inFlight * largest.resultTokens),
    upstreamUs: Math.min(reserved.upstreamUs, inFlight * largest.upstreamUs),
  };
  return { ...account, ...add(account, likely, 1), inFlight: 0, reserved: nothing };
}

function add(to: Amounts, amounts: Amounts, sign: 1 | -1): Amounts {
  return {
    resultBytes: Math.max(0, to.resultBytes + sign * amounts.resultBytes),
    resultTokens: Math.max(0, to.resultTokens + sign * amounts.resultTokens),
    upstreamUs: Math.max(0, to.upstreamUs + sign * amounts.upstreamUs),
  };
}

/** The used part of the limit that is used up most, reservations included; 0 for an empty account. */
export function usedRatio(account: Account, limits: Limits): number {
  let most = 0;
  for (const measure of measures) {
    const limit = limits[measure];
    if (limit !== undefined) most = Math.max(most, usedOf(account, measure) / limit);
  }
  return most;
}

/** The used amount of a measure, with the part that calls in flight hold. */
export function usedOf(account: Account, measure: Measure): number {
  return account[measure] + (measure === 'calls' || measure === 'costMicros' ? 0 : account.reserved[measure]);
}
