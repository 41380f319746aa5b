// Those who wait for a place, a line for each principal. The lines take turns, so a long one delays the others by one
// place at a time; within a line the first to come is the first to go.
import { createShares, type Linked, LinkedSet } from '@portico/async';

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

export interface WaitingLines {
  /** @throws QueueFull where its principal has all of its share of what may wait */
  add(waiter: Waiter): void;
  /** Takes one out that gives up. */
  delete(waiter: Waiter): void;
  /** Takes out the one whose turn it is. */
  shift(): Waiter | undefined;
  size(): number;
}

interface Line extends Linked<Line> {
  readonly principal: string;
  readonly waiters: LinkedSet<Waiter>;
}

/** @param limit how many of one principal may wait while none of another do */
export function createWaitingLines(limit: () => number): WaitingLines {
  const lines = new Map<string, Line>();
  const turns = new LinkedSet<Line>(); // the lines that hold one, the next to have a turn first
  const shares = createShares(limit);
  let size = 0;

  const remove = (line: Line, waiter: Waiter): void => {
    if (!line.waiters.delete(waiter)) return;
    size -= 1;
    shares.release([line.principal]);
    if (line.waiters.first !== undefined) return;
    turns.delete(line);
    lines.delete(line.principal);
  };

  return {
    add(waiter) {
      const { principal } = waiter;
      const refusal = shares.take([principal]);
      if (refusal !== undefined) throw new QueueFull(refusal.held, limit());
      const line = lines.get(principal) ?? { principal, waiters: new LinkedSet<Waiter>() };
      lines.set(principal, line);
      turns.add(line);
      line.waiters.add(waiter);
      size += 1;
    },
    delete(waiter) {
      const line = lines.get(waiter.principal);
      if (line !== undefined) remove(line, waiter);
    },
    shift() {
      const line = turns.first;
      const waiter = line?.waiters.first;
      if (line === undefined || waiter === undefined) return undefined;
      turns.delete(line);
      turns.add(line); // behind the others, unless it was its last
      remove(line, waiter);
      return waiter;
    },
    size: () => size,
  };
}
