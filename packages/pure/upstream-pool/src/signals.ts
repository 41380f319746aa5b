// A deadline: a signal that aborts when time runs out, and may follow another.
import { type AbortSignalLike, AbortSource, type Linked, LinkedSet } from '@portico/async';
import type { Clock } from './clock.js';

/** The reason of a signal that aborted because time ran out. */
export class DeadlinePassed extends Error {
  /** All the time that it was given. */
  readonly timeoutMs: number;
  /** The setting that gave more time than at first. */
  readonly extendedBy: string | undefined;

  constructor(timeoutMs: number, extendedBy?: string) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'DeadlinePassed';
    this.timeoutMs = timeoutMs;
    this.extendedBy = extendedBy;
  }
}

/** More time for work that shows that it goes on. */
export interface Extension {
  readonly byMs: number;
  /** The maximum sum of all extensions; pauses do not count. */
  readonly upToMs: number;
  /** The setting that this comes from. */
  readonly setting: string;
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
  /** Gives more time. The end is never further away than twice the time that is added. */
  extend(extension: Extension): void;
  /** Ends the work before its time. */
  abort(reason: unknown): void;
  /** Ends the timer permanently and releases the parent. Call it once the work is done. */
  stop(): void;
}

/** Starts a deadline that also follows a parent signal. */
export function startDeadline(clock: Clock, timeoutMs: number, parent?: AbortSignalLike): Deadline {
  return new RunningDeadline(clock, timeoutMs, parent, undefined);
}

/** Starts deadlines of which many run at once. Those with the same time share one timer. */
export type StartDeadline = (timeoutMs: number, parent?: AbortSignalLike) => Deadline;

/** Creates the function that starts deadlines on a clock. */
export function createDeadlines(clock: Clock): StartDeadline {
  const queues = new Map<number, DeadlineQueue>(); // few: their times come from the configuration
  return (timeoutMs, parent) => {
    let queue = queues.get(timeoutMs);
    if (queue === undefined) {
      queue = new DeadlineQueue(clock);
      queues.set(timeoutMs, queue);
    }
    return new RunningDeadline(clock, timeoutMs, parent, queue);
  };
}

/** Deadlines of the same time: the one that started first runs out first. The first of them has the timer. */
class DeadlineQueue {
  readonly waiting = new LinkedSet<RunningDeadline>();
  cancel: (() => void) | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Some of them are due. */
  readonly wake = () => {
    const now = this.#clock.now();
    let { first } = this.waiting;
    while (first !== undefined && first.atMs <= now) {
      this.waiting.delete(first);
      first.lapse();
      first = this.waiting.first;
    }
    this.cancel = first && this.#clock.after(first.atMs - now, this.wake);
  };
}

class RunningDeadline extends AbortSource implements Deadline, Linked<RunningDeadline> {
  before: RunningDeadline | undefined;
  after: RunningDeadline | undefined;
  atMs: number;
  readonly signal: AbortSignalLike = this;
  readonly #clock: Clock;
  #timeoutMs: number;
  #extendedBy: string | undefined;
  readonly #parent: AbortSignalLike | undefined;
  #leftMs: number;
  /** Where it waits from its start on, unless it has a timer of its own. */
  #queue: DeadlineQueue | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(clock: Clock, timeoutMs: number, parent: AbortSignalLike | undefined, queue: DeadlineQueue | undefined) {
    super();
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
    this.atMs = clock.now() + timeoutMs;
    this.#queue = queue;
    this.#parent = parent;
    if (queue === undefined) this.#cancel = this.#run();
    else {
      queue.waiting.add(this);
      queue.cancel ??= clock.after(timeoutMs, queue.wake);
    }
    if (parent?.aborted) this.abort(parent.reason);
    parent?.addEventListener('abort', this, { once: true });
  }

  pause(): void {
    if (this.#isPaused || this.#isStopped) return;
    this.#endTimer();
    this.#leftMs = Math.max(0, this.atMs - this.#clock.now());
    this.atMs = Number.POSITIVE_INFINITY;
  }

  resume(): void {
    if (!this.#isPaused || this.#isStopped) return;
    this.atMs = this.#clock.now() + this.#leftMs;
    this.#cancel = this.#run();
  }

  extend({ byMs, upToMs, setting }: Extension): void {
    if (this.#isStopped || this.aborted) return;
    const leftMs = this.#isPaused ? this.#leftMs : Math.max(0, this.atMs - this.#clock.now());
    const addedMs = Math.min(byMs, upToMs - this.#timeoutMs, 2 * byMs - leftMs);
    if (addedMs <= 0) return;
    this.#timeoutMs += addedMs;
    this.#extendedBy = setting;
    this.#leftMs = leftMs + addedMs;
    if (this.#isPaused) return;
    this.#endTimer();
    this.atMs = this.#clock.now() + this.#leftMs;
    this.#cancel = this.#run();
  }

  stop(): void {
    this.#parent?.removeEventListener('abort', this);
    this.#endTimer();
    this.#isStopped = true;
  }

  /** After a pause of the whole process, timers run before data is read that arrived in time: it is read first. */
  lapse(): void {
    this.#queue = undefined;
    this.#cancel = this.#clock.after(0, () => this.abort(new DeadlinePassed(this.#timeoutMs, this.#extendedBy)));
  }

  /** The parent has aborted. */
  handleEvent(): void {
    this.abort(this.#parent?.reason);
  }

  get #isPaused(): boolean {
    return this.atMs === Number.POSITIVE_INFINITY;
  }

  #run(): () => void {
    return this.#clock.after(this.#leftMs, () => this.lapse());
  }

  /** A shared timer of one that ended early goes on for those behind it. */
  #endTimer(): void {
    const queue = this.#queue;
    this.#queue = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
    queue?.waiting.delete(this);
    if (queue === undefined || queue.waiting.first !== undefined) return;
    queue.cancel?.();
    queue.cancel = undefined;
  }
}
