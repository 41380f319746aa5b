// Room for what is kept of each principal: stored answers under keys, and tasks. It counts characters until they expire,
// and never gives up what is stored: a key that was forgotten before its time would let its call run again.
import { createShares } from '@portico/async';
import type { Clock } from '@portico/upstream-pool';
import { CallFailure } from '../call/call.js';

/** The stored size of a principal until a time. */
export interface KeptPart {
  readonly principal: string;
  readonly characters: number;
  /** Milliseconds since the Unix epoch. */
  readonly untilMs: number;
}

export interface KeptRoom {
  /**
   * Room for the record of a call that is about to be sent, until the returned function is called.
   * @throws CallFailure POLICY_DENIED if the principal has all of its share
   */
  take(principal: string): () => void;
  /** Counts what is stored already and cannot be refused. */
  add(part: KeptPart): void;
}

/** Size of a record beside its answer: its names, its key, its row. */
export const recordCharacters = 1000;

/** Parts expire together whose time ends in the same minute. */
const minuteMs = 60_000;

/** @param limit characters that one principal may have while no other has any, as it is at that moment */
export function createKeptRoom({ epochMs }: Pick<Clock, 'epochMs'>, limit: () => number): KeptRoom {
  const shares = createShares(limit);
  const expiring = new Map<number, Map<string, number>>(); // characters by principal, by the minute of their end
  let sweptMinute = 0;

  const sweep = () => {
    const minute = Math.floor(epochMs() / minuteMs);
    if (minute === sweptMinute) return;
    sweptMinute = minute;
    for (const [end, held] of expiring) {
      if (end > minute) continue;
      for (const [principal, characters] of held) shares.release([principal], characters);
      expiring.delete(end);
    }
  };

  return {
    take(principal) {
      sweep();
      const holder = [principal];
      const refusal = shares.take(holder, recordCharacters);
      if (refusal !== undefined) throw usedUp(refusal.held, limit());
      return () => shares.release(holder, recordCharacters);
    },
    add({ principal, characters, untilMs }) {
      sweep();
      const end = Math.ceil(untilMs / minuteMs);
      const held = expiring.get(end) ?? new Map<string, number>();
      expiring.set(end, held);
      held.set(principal, (held.get(principal) ?? 0) + characters);
      shares.add([principal], characters);
    },
  };
}

function usedUp(held: number, limit: number): CallFailure {
  const share = `all of your share of characters in stored answers and tasks: ${held} (limits.keptCharacters: ${limit})`;
  const next = 'call without a key and not as a task, or repeat this when some have expired (idempotency.ttlSecs)';
  return new CallFailure('POLICY_DENIED', `nothing was sent: you have ${share}; ${next}`);
}
