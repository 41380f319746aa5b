// The shares of servers in one room. When it is full, the server that holds the most drops something, so that no server
// displaces the entries of others.

export interface Held {
  readonly server: string;
  /** Counts up: the oldest has the lowest. */
  readonly order: number;
  /** How much of the room it takes. */
  readonly weight: number;
}

/** Places that are free at the front of a list before it is moved. */
const maxFree = 1024;

class Share<T extends Held> {
  #items: (T | undefined)[] = [];
  #first = 0;
  weight = 0;

  get oldest(): T | undefined {
    return this.#items[this.#first];
  }

  add(item: T): void {
    this.#items.push(item);
    this.weight += item.weight;
  }

  takeOldest(): T | undefined {
    const item = this.oldest;
    if (item === undefined) return undefined;
    this.#items[this.#first] = undefined;
    this.#first += 1;
    this.weight -= item.weight;
    if (this.#first > maxFree && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  takeLatest(): T | undefined {
    if (this.oldest === undefined) return undefined;
    const item = this.#items.pop();
    this.weight -= item?.weight ?? 0;
    return item;
  }
}

export class Shares<T extends Held> {
  readonly #shares = new Map<string, Share<T>>();
  #weight = 0;
  #count = 0;

  get weight(): number {
    return this.#weight;
  }

  get count(): number {
    return this.#count;
  }

  add(item: T): void {
    const share = this.#shares.get(item.server) ?? new Share<T>();
    this.#shares.set(item.server, share);
    share.add(item);
    this.#weight += item.weight;
    this.#count += 1;
  }

  /** The oldest of all servers. */
  takeOldest(): T | undefined {
    return this.#take(
      (share, best) => (share.oldest?.order ?? 0) < (best.oldest?.order ?? 0),
      (share) => share.takeOldest(),
    );
  }

  /** The oldest of the server that holds the most. */
  giveUpOldest(): T | undefined {
    return this.#take(
      (share, best) => share.weight > best.weight,
      (share) => share.takeOldest(),
    );
  }

  /** The latest of the server that holds the most. */
  giveUpLatest(): T | undefined {
    return this.#take(
      (share, best) => share.weight > best.weight,
      (share) => share.takeLatest(),
    );
  }

  clear(): void {
    this.#shares.clear();
    this.#weight = 0;
    this.#count = 0;
  }

  #take(
    isBetter: (share: Share<T>, best: Share<T>) => boolean,
    from: (share: Share<T>) => T | undefined,
  ): T | undefined {
    let best: Share<T> | undefined;
    for (const share of this.#shares.values()) if (best === undefined || isBetter(share, best)) best = share;
    const item = best && from(best);
    if (item === undefined) return undefined;
    if (best?.oldest === undefined) this.#shares.delete(item.server);
    this.#weight -= item.weight;
    this.#count -= 1;
    return item;
  }
}
