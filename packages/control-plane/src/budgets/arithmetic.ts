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
  /** Differs between an account and the one that follows it under its key after a reset. */
  readonly generation: number;
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
  generation: 0,
  calls: 0,
  costMicros: 0,
  ...nothing,
  inFlight: 0,
  reserved: nothing,
  largest: nothing,
});

/** The part of an account that a call holds until it ends. */
export interface Reservation {
  /** The generation of the charged account: no other one is settled by it. */
  readonly generation: number;
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
  let amounts: Amounts = nothing;
  for (const measure of laterMeasures) {
    const limit = limits[measure];
    if (limit === undefined) continue;
    const used = account[measure];
    if (used >= limit) return exhausted(measure);
    const likely = Math.max(account.largest[measure], Math.ceil(limit / leastPart));
    const isOver = used + account.reserved[measure] + likely > limit;
    if (isOver && account.inFlight > 0) return { isReserved: false, measure, isHeld: true };
    amounts = { ...amounts, [measure]: likely };
  }
  const { calls, costMicros: cost, inFlight } = account;
  const reserved = add(account.reserved, amounts, 1);
  return {
    isReserved: true,
    account: toAccount(
      account,
      account.generation,
      calls + 1,
      cost + costMicros,
      inFlight + 1,
      reserved,
      account.largest,
    ),
    reservation: { generation: account.generation, costMicros, amounts },
  };
}

function exhausted(measure: Measure): Exhausted {
  return { isReserved: false, measure, isHeld: false };
}

/** Gives a reservation back, and charges what the call took; one that was not sent is free. */
export function settle(account: Account, { costMicros, amounts }: Reservation, took: Amounts | 'not_sent'): Account {
  const { generation, calls, costMicros: cost, largest } = account;
  const inFlight = Math.max(0, account.inFlight - 1);
  const reserved = add(account.reserved, amounts, -1);
  return took === 'not_sent'
    ? toAccount(
        account,
        generation,
        Math.max(0, calls - 1),
        Math.max(0, cost - costMicros),
        inFlight,
        reserved,
        largest,
      )
    : toAccount(add(account, took, 1), generation, calls, cost, inFlight, reserved, largestOf(largest, took));
}

/** Names each field: to spread an object of this size takes several times as long, and this is done for every call. */
function toAccount(
  { resultBytes, resultTokens, upstreamUs }: Amounts,
  generation: number,
  calls: number,
  costMicros: number,
  inFlight: number,
  reserved: Amounts,
  largest: Amounts,
): Account {
  return { generation, calls, costMicros, resultBytes, resultTokens, upstreamUs, inFlight, reserved, largest };
}

function largestOf(one: Amounts, other: Amounts): Amounts {
  return {
    resultBytes: Math.max(one.resultBytes, other.resultBytes),
    resultTokens: Math.max(one.resultTokens, other.resultTokens),
    upstreamUs: Math.max(one.upstreamUs, other.upstreamUs),
  };
}

/**
 * Charges the calls of a process that has ended, whose outcome is unknown: each as the largest call so far, and no more
 * than it holds. Their results were not delivered.
 */
export function chargeHeld(account: Account, held: Held = account): Account {
  return {
    ...account,
    resultBytes: heldOf(account, 'resultBytes', held),
    resultTokens: heldOf(account, 'resultTokens', held),
    upstreamUs: heldOf(account, 'upstreamUs', held),
    inFlight: Math.max(0, account.inFlight - held.inFlight),
    reserved: add(account.reserved, held.reserved, -1),
  };
}

/** The part that the calls of one process hold. */
export type Held = Pick<Account, 'inFlight' | 'reserved'>;

/** The amount that is charged if the process of these calls ends now. */
function heldOf(account: Account, measure: Measure, { inFlight, reserved }: Held = account): number {
  if (measure === 'calls' || measure === 'costMicros') return account[measure];
  return account[measure] + Math.min(reserved[measure], inFlight * account.largest[measure]);
}

/** A lease is enough for about this many more calls, and adds at most this part of a limit. */
const leasedCalls = 256;
const leasedPart = 100;

/**
 * The account with a part of each limit charged in advance: as it is kept on disk, so that the next calls need no write.
 * A crash leaves the part charged.
 */
export function leaseOf(account: Account, limits: Limits): Account {
  const lease = { ...chargeHeld(account) };
  for (const measure of measures) {
    const limit = limits[measure];
    if (limit === undefined) continue;
    const held = lease[measure];
    const more = Math.ceil((leasedCalls * held) / Math.max(1, account.calls));
    lease[measure] = Math.max(held, Math.min(limit, held + Math.min(more, Math.floor(limit / leasedPart))));
  }
  return lease;
}

/** Whether a lease has everything that is limited and would be charged if its process ended now. */
export function isCovered(account: Account, lease: Account, limits: Limits): boolean {
  for (const measure of measures)
    if (limits[measure] !== undefined && heldOf(account, measure) > lease[measure]) return false;
  return true;
}

function add(to: Amounts, amounts: Amounts, sign: 1 | -1): Amounts {
  if (amounts === nothing) return to;
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
