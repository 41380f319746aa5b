// Callers that wait for a permit, a queue for each principal. The queues take turns, so a long one delays the others by
// one permit at a time; within a queue the order is first in, first out.
import { type Linked, LinkedSet } from './linked-set.js';
import { createShares, type Shares } from './shares.js';

/** Waits in one line at a time, and leaves it without a search. */
export interface Waiter extends Linked<Waiter> {
  readonly principal: string;
  admit(): void;
}

/** Too many of one principal wait. */
export class QueueFull extends Error {
  /** How many of it wait. */
  readonly held: number;
  readonly limit: number;

  constructor(held: number, limit: number) {
    super(`${held} wait already`);
    this.name = 'QueueFull';
    this.held = held;
    this.limit = limit;
  }
}

interface Line extends Linked<Line> {
  readonly principal: string;
  readonly waiters: LinkedSet<Waiter>;
}

/** Waiters in one line for each principal, served in turns so that a busy principal does not delay another. */
export class WaitingLines {
  /** How many wait. A field: it is looked at whenever a call ends. */
  size = 0;
  readonly #limit: () => number;
  readonly #lines = new Map<string, Line>();
  /** The lines that hold one, the next to have a turn first. */
  readonly #turns = new LinkedSet<Line>();
  readonly #shares: Shares;

  /** @param limit how many of one principal may wait while none of another do */
  constructor(limit: () => number) {
    this.#limit = limit;
    this.#shares = createShares(limit);
  }

  /** @throws QueueFull if its principal has all of its share of what may wait */
  add(waiter: Waiter): void {
    const { principal } = waiter;
    const refusal = this.#shares.take([principal]);
    if (refusal !== undefined) throw new QueueFull(refusal.held, this.#limit());
    const line = this.#lines.get(principal) ?? { principal, waiters: new LinkedSet<Waiter>() };
    this.#lines.set(principal, line);
    this.#turns.add(line);
    line.waiters.add(waiter);
    this.size += 1;
  }

  /** Takes one out that gives up. */
  delete(waiter: Waiter): void {
    const line = this.#lines.get(waiter.principal);
    if (line !== undefined) this.#remove(line, waiter);
  }

  /** Takes out the one whose turn it is among the principals that may have one. The others keep their turns. */
  shift(mayHave: (principal: string) => boolean): Waiter | undefined {
    let line = this.#turns.first;
    while (line !== undefined && !mayHave(line.principal)) line = line.after;
    const waiter = line?.waiters.first;
    if (line === undefined || waiter === undefined) return undefined;
    this.#turns.delete(line);
    this.#turns.add(line); // behind the others, unless it was its last
    this.#remove(line, waiter);
    return waiter;
  }

  #remove(line: Line, waiter: Waiter): void {
    if (!line.waiters.delete(waiter)) return;
    this.size -= 1;
    this.#shares.release([line.principal]);
    if (line.waiters.first !== undefined) return;
    this.#turns.delete(line);
    this.#lines.delete(line.principal);
  }
}
