// Items that wait, by ids that count up. Each id is added and taken out once; V8 makes a new table for a Map after every few
// such pairs, and the garbage of those tables costs more than the rest of a request. The slots here are used again.

const slotCount = 256; // a power of two, more than usually wait at once

export class PendingTable<T extends { readonly id: number }> {
  readonly #slots: (T | undefined)[] = Array.from({ length: slotCount }, () => undefined);
  /** Those whose slot a later one needed. */
  readonly #older = new Map<number, T>();

  add(item: T): void {
    const at = item.id & (slotCount - 1);
    const before = this.#slots[at];
    if (before !== undefined) this.#older.set(before.id, before);
    this.#slots[at] = item;
  }

  get(id: number): T | undefined {
    const item = this.#slots[id & (slotCount - 1)];
    return item?.id === id ? item : this.#older.get(id);
  }

  delete(id: number): void {
    const at = id & (slotCount - 1);
    if (this.#slots[at]?.id === id) this.#slots[at] = undefined;
    else this.#older.delete(id);
  }

  /** In the order of their ids. */
  all(): readonly T[] {
    const items = [...this.#older.values(), ...this.#slots.filter((item) => item !== undefined)];
    return items.sort((a, b) => a.id - b.id);
  }
}
