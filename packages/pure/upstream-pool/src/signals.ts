// Abort signals in the shapes this package needs: a child that follows its parent, and a deadline.
import type { Clock } from './clock.js';

/** The reason of a signal that aborted because time ran out. */
export class DeadlinePassed extends Error {
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'DeadlinePassed';
    this.timeoutMs = timeoutMs;
  }
}

export interface Deadline {
  /** Aborts with DeadlinePassed when time runs out, or with the parent's reason. */
  readonly signal: AbortSignal;
  /** When time runs out, in monotonic milliseconds of the clock, as it stands; Infinity while it is paused. */
  readonly atMs: number;
  /** Stops the clock: time does not run out until it is resumed. */
  pause(): void;
  /** Goes on with the time that was left. */
  resume(): void;
  /** Ends the work before its time. */
  abort(reason: unknown): void;
  /** Ends the timer and lets go of the parent. Call it once the work is done. */
  stop(): void;
}

/** Starts a deadline that also follows a parent signal. */
export function startDeadline(clock: Clock, timeoutMs: number, parent?: AbortSignal): Deadline {
  const work = new AbortController();
  const follow = () => work.abort(parent?.reason);
  if (parent?.aborted) follow();
  parent?.addEventListener('abort', follow, { once: true });
  let startedAtMs = clock.now();
  let leftMs = timeoutMs;
  // After a pause of the whole process timers are due before what came meanwhile is read, and that may have come in time.
  const lapse = () => {
    cancel = clock.after(0, () => work.abort(new DeadlinePassed(timeoutMs)));
  };
  const run = () => clock.after(leftMs, lapse);
  let cancel: (() => void) | undefined = run();
  return {
    signal: work.signal,
    get atMs() {
      return cancel === undefined ? Number.POSITIVE_INFINITY : startedAtMs + leftMs;
    },
    pause() {
      if (cancel === undefined) return;
      cancel();
      cancel = undefined;
      leftMs = Math.max(0, leftMs - (clock.now() - startedAtMs));
    },
    resume() {
      if (cancel !== undefined) return;
      startedAtMs = clock.now();
      cancel = run();
    },
    abort: (reason) => work.abort(reason),
    stop() {
      parent?.removeEventListener('abort', follow);
      cancel?.();
      cancel = () => {};
    },
  };
}
