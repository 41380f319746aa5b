// A deadline: a signal that aborts when time runs out, and may follow another.
import { type AbortSignalLike, AbortSource } from '@portico/async';
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
  readonly signal: AbortSignalLike;
  /** When time runs out, in monotonic milliseconds of the clock, as it stands; Infinity while it is paused. */
  readonly atMs: number;
  /** Stops the clock: time does not run out until it is resumed. */
  pause(): void;
  /** Goes on with the time that was left. */
  resume(): void;
  /** Ends the work before its time. */
  abort(reason: unknown): void;
  /** Ends the timer for good and lets go of the parent. Call it once the work is done. */
  stop(): void;
}

/** Starts a deadline that also follows a parent signal. */
export function startDeadline(clock: Clock, timeoutMs: number, parent?: AbortSignalLike): Deadline {
  return new RunningDeadline(clock, timeoutMs, parent);
}

class RunningDeadline extends AbortSource implements Deadline {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #startedAtMs: number;
  #leftMs: number;
  /** Undefined while it is paused. */
  #cancel: (() => void) | undefined;
  #letGo: (() => void) | undefined;
  #isStopped = false;

  constructor(clock: Clock, timeoutMs: number, parent: AbortSignalLike | undefined) {
    super();
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#startedAtMs = clock.now();
    this.#leftMs = timeoutMs;
    this.#cancel = this.#run();
    if (parent !== undefined) this.#follow(parent);
  }

  get signal(): AbortSignalLike {
    return this;
  }

  get atMs(): number {
    return this.#cancel === undefined ? Number.POSITIVE_INFINITY : this.#startedAtMs + this.#leftMs;
  }

  pause(): void {
    if (this.#cancel === undefined || this.#isStopped) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#startedAtMs));
  }

  resume(): void {
    if (this.#cancel !== undefined || this.#isStopped) return;
    this.#startedAtMs = this.#clock.now();
    this.#cancel = this.#run();
  }

  stop(): void {
    this.#letGo?.();
    this.#cancel?.();
    this.#isStopped = true;
  }

  #run(): () => void {
    return this.#clock.after(this.#leftMs, () => this.#lapse());
  }

  /** After a pause of the whole process, timers run before data is read that arrived in time: it is read first. */
  #lapse(): void {
    this.#cancel = this.#clock.after(0, () => this.abort(new DeadlinePassed(this.#timeoutMs)));
  }

  #follow(parent: AbortSignalLike): void {
    const follow = () => this.abort(parent.reason);
    if (parent.aborted) follow();
    parent.addEventListener('abort', follow, { once: true });
    this.#letGo = () => parent.removeEventListener('abort', follow);
  }
}
