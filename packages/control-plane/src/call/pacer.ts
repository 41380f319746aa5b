// Spaces out work whose cost others decide: after a long piece, the event loop is left to other work for the same time.
// Principals take turns at the pieces that wait for this.
import { type AbortSignalLike, type Waiter, WaitingLines } from '@portico/async';
import type { Clock } from '@portico/upstream-pool';

export interface Pacer {
  /**
   * Resolves when a piece of work may begin; undefined if it may begin at once. All work of that iteration of the event loop
   * counts for the piece.
   * @param signal has it reject with its reason; without one, the wait cannot be cancelled
   */
  turn(principal: string, signal?: AbortSignalLike): Promise<void> | undefined;
  /** As `turn`, in a later iteration of the event loop than this one, in which something long has been done already. */
  laterTurn(principal: string, signal?: AbortSignalLike): Promise<void>;
}

/** Pieces that are shorter together delay no one. */
const briefMs = 2;
const longestPauseMs = 1000;

export function createPacer(clock: Clock): Pacer {
  const lines = new WaitingLines(() => Number.POSITIVE_INFINITY);
  /** When the first piece in this iteration of the event loop began; undefined if none has. */
  let beganAtMs: number | undefined;
  let resumesAtMs = Number.NEGATIVE_INFINITY;
  let isPausing = false;

  const begin = (nowMs: number) => {
    if (beganAtMs !== undefined) return;
    beganAtMs = nowMs;
    clock.after(0, endIteration);
  };

  const endIteration = () => {
    const nowMs = clock.now();
    const tookMs = nowMs - (beganAtMs ?? nowMs);
    beganAtMs = undefined;
    if (tookMs >= briefMs) resumesAtMs = nowMs + Math.min(tookMs, longestPauseMs);
    admitNext();
  };

  const admitNext = () => {
    if (isPausing || lines.size === 0) return;
    const nowMs = clock.now();
    if (nowMs < resumesAtMs) {
      isPausing = true;
      clock.after(resumesAtMs - nowMs, resume);
    } else {
      begin(nowMs);
      lines.shift(() => true)?.admit();
    }
  };

  const resume = () => {
    isPausing = false;
    admitNext();
  };

  const mayBegin = (nowMs: number) =>
    lines.size === 0 && nowMs >= resumesAtMs && (beganAtMs === undefined || nowMs - beganAtMs < briefMs);

  const wait = (principal: string, signal: AbortSignalLike | undefined) =>
    new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        lines.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        principal,
        admit() {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', giveUp, { once: true });
      lines.add(waiter);
      if (beganAtMs === undefined) admitNext();
    });

  return {
    turn(principal, signal) {
      const nowMs = clock.now();
      if (!mayBegin(nowMs)) return wait(principal, signal);
      begin(nowMs);
      return undefined;
    },
    laterTurn(principal, signal) {
      begin(clock.now());
      return wait(principal, signal);
    },
  };
}
