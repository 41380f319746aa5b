// A set whose members know their neighbours. For what comes and goes with every call: V8 makes a new table for a Set after
// every few members that were added and taken out, and those tables outlive the calls.

/** Set by the set that it is in; it can be in one at a time. */
export interface Linked<T> {
  before?: T | undefined;
  after?: T | undefined;
}

export class LinkedSet<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;

  /** The member that was added first of those that are in it. */
  get first(): T | undefined {
    return this.#first;
  }

  /** The member that was added last; its `before` leads to the others. */
  get last(): T | undefined {
    return this.#last;
  }

  has(member: T): boolean {
    return member.before !== undefined || this.#last === member || member.after !== undefined;
  }

  /** Does nothing for one that is in it. */
  add(member: T): void {
    if (this.has(member)) return;
    member.before = this.#last;
    if (this.#last === undefined) this.#first = member;
    else this.#last.after = member;
    this.#last = member;
  }

  /** Whether it was in it. */
  delete(member: T): boolean {
    if (!this.has(member)) return false;
    const { before, after } = member;
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    if (this.#first === member) this.#first = after;
    if (this.#last === member) this.#last = before;
    member.before = undefined; // what has gone keeps nothing alive
    member.after = undefined;
    return true;
  }

  /** A list of its own, in the order in which they were added. */
  all(): readonly T[] {
    const found: T[] = [];
    for (let member = this.#last; member !== undefined; member = member.before) found.push(member);
    return found.reverse();
  }
}
