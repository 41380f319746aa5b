// A set whose members know their neighbours. For members that are added and removed with every call: V8 makes a new
// table for a Set after every few members that were added and taken out, and those tables outlive the calls.

/** Set by the set that it is in; it can be in one at a time. */
export interface Linked<T> {
  before?: T | undefined;
  after?: T | undefined;
}

/** A set in insertion order whose members carry their own links: adding and removing allocate nothing. */
export class LinkedSet<T extends Linked<T>> {
  /** The member that was added first of those that are in it. It and `last` are for the set alone to change. */
  first: T | undefined;
  /** The member that was added last; its `before` leads to the others. */
  last: T | undefined;

  /** Does nothing for one that is in it. */
  add(member: T): void {
    const { last } = this;
    if (last === member || member.before !== undefined || member.after !== undefined) return;
    member.before = last;
    if (last === undefined) this.first = member;
    else last.after = member;
    this.last = member;
  }

  /** Whether it was in it. */
  delete(member: T): boolean {
    const { before, after } = member;
    if (before === undefined && after === undefined && this.last !== member) return false;
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.last = before;
    else after.before = before;
    member.before = undefined; // what has gone keeps nothing alive
    member.after = undefined;
    return true;
  }

  /** A list of its own, in the order in which they were added. */
  all(): readonly T[] {
    const found: T[] = [];
    for (let member = this.last; member !== undefined; member = member.before) found.push(member);
    return found.reverse();
  }
}
